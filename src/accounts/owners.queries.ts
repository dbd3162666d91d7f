import type pg from 'pg'

/** Returns whether an account exists, and whether an admin exists. Needs only a database client. */
export async function checkOwners(
  client: pg.ClientBase,
): Promise<{ account: boolean; admin: boolean }> {
  const { rows } = await client.query<{ account: boolean; admin: boolean }>(
    `select exists (select from accounts) as account,
            exists (select from users where admin) as admin`,
  )
  return rows[0] ?? { account: false, admin: false }
}
