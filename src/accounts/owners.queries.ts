import type pg from 'pg'

/** Whether there is an account, and one that is an admin, asked over the bare driver. */
export async function findOwners(
  client: pg.ClientBase,
): Promise<{ account: boolean; admin: boolean }> {
  const { rows } = await client.query<{ account: boolean; admin: boolean }>(
    `select exists (select from accounts) as account,
            exists (select from accounts where admin) as admin`,
  )
  return rows[0] ?? { account: false, admin: false }
}
