import type { Db } from './pool.ts'
import { countRows } from './row-counts.ts'

export type PageQuery = { limit: number; offset: number }
/** Some of the rows of a list, and how many there are in all. */
export type Page<Entry> = { entries: Entry[]; total: number }

type OwnTable =
  | 'domains'
  | 'splash_pages'
  | 'overlays'
  | 'pixels'
  | 'campaigns'
  | 'bio_pages'
  | 'qr_codes'
  | 'channels'

/**
 * The ids on one page of an account's rows, newest first, with the number of all of them. Only ids
 * are walked to reach a deep page, in the index on `(account_id, id)` and from whichever end is
 * nearer; the total comes from a counter.
 */
export async function pageOfIds(
  db: Db,
  table: OwnTable,
  accountId: number,
  { limit, offset }: PageQuery,
): Promise<{ ids: number[]; total: number }> {
  const total = await countRows(db, table, accountId)
  const size = Math.min(limit, total - offset)
  if (size <= 0) return { ids: [], total }
  const fromEnd = offset > total / 2
  const rows = await db
    .selectFrom(table)
    .select('id')
    .where('account_id', '=', accountId)
    .orderBy('id', fromEnd ? 'asc' : 'desc')
    .limit(size)
    .offset(fromEnd ? total - offset - size : offset)
    .execute()
  const ids = rows.map(({ id }) => id)
  return { ids: fromEnd ? ids.reverse() : ids, total }
}
