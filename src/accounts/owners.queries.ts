import type pg from 'pg'

/** Returns whether an account exists, and whether an admin exists. Needs only a database client. */
export async function checkOwners(
  client: pg.ClientBase,
): Promise<{ hasAccount: boolean; hasAdmin: boolean }> {
  const { rows } = await client.query<{ hasAccount: boolean; hasAdmin: boolean }>(
    `select exists (select from accounts) as "hasAccount",
            exists (select from users where admin) as "hasAdmin"`,
  )
  return rows[0] ?? { hasAccount: false, hasAdmin: false }
}
