import type pg from 'pg'

/** Returns whether there is an account, and whether there is an admin. Uses only the driver. */
export async function findOwners(
  client: pg.ClientBase,
): Promise<{ account: boolean; admin: boolean }> {
  const { rows } = await client.query<{ account: boolean; admin: boolean }>(
    `select exists (select from accounts) as account,
            exists (select from users where admin) as admin`,
  )
  return rows[0] ?? { account: false, admin: false }
}
