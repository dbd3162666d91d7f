import type pg from 'pg'

const UNDEFINED_TABLE = '42P01'

/** Returns the token of the database to which a connection leads, or undefined if it has none. */
export async function findTokenOf(
  client: pg.ClientBase,
  timeoutMs: number,
): Promise<string | undefined> {
  const query = { text: 'select token from instance', query_timeout: timeoutMs || undefined }
  const { rows } = await client.query<{ token: string }>(query).catch((error: unknown) => {
    // Another database may have no such table.
    if ((error as { code?: string }).code === UNDEFINED_TABLE) return { rows: [] }
    throw error
  })
  return rows[0]?.token
}
