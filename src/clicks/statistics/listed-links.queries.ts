import { sql } from 'kysely'
import type { Db } from '../../db/pool.ts'

/** Links looked up by one statement. */
const LINKS_PER_STATEMENT = 500

/**
 * Returns the first `limit` of these ids that belong to listed links of the account. Links behind
 * QR codes and buttons of bio pages are not listed, nor are deleted ones.
 */
export async function selectListedLinks(
  db: Db,
  accountId: number,
  ids: readonly number[],
  limit: number,
): Promise<number[]> {
  const found: number[] = []
  for (let start = 0; start < ids.length && found.length < limit; start += LINKS_PER_STATEMENT) {
    const chunk = ids.slice(start, start + LINKS_PER_STATEMENT)
    const rows = await db
      .selectFrom('links')
      .select('id')
      .where('account_id', '=', accountId)
      .where('kind', '=', 'link')
      .where('id', '=', sql<number>`any(${chunk}::bigint[])`)
      .execute()
    const listed = new Set(rows.map(({ id }) => id))
    found.push(...chunk.filter((id) => listed.has(id)))
  }
  return found.slice(0, limit)
}
