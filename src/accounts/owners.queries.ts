import type pg from 'pg'

/** Whether there are accounts, and admins among them, asked over the bare driver. */
export async function findOwners(client: pg.ClientBase): Promise<{ any: boolean; admin: boolean }> {
  const { rows } = await client.query<{ any: boolean; admin: boolean }>(
    `select exists (select from accounts) as any,
            exists (select from accounts where admin) as admin`,
  )
  return rows[0] ?? { any: false, admin: false }
}
