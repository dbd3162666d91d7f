import { fromNearerEnd, type PageQuery } from './pagination.ts'
import type { Db } from './pool.ts'
import { countRows } from './row-counts.queries.ts'

/**
 * Small resources that an account owns; each is read and written by `(account_id, id)` in one statement.
 * Their lists are short by nature: rows are counted when they are asked for.
 */
export type OwnedTable =
  | 'domains'
  | 'splash_pages'
  | 'overlays'
  | 'pixels'
  | 'campaigns'
  | 'bio_pages'
  | 'channels'

/**
 * The ids on one page of an account's rows, newest first, with the number of all of them. Only ids
 * are walked to reach a deep page, in the index on `(account_id, id)` and from whichever end is
 * nearer.
 */
export async function pageOfIds(
  db: Db,
  table: OwnedTable | 'qr_codes',
  accountId: number,
  { limit, offset }: PageQuery,
): Promise<{ ids: number[]; total: number }> {
  const total = await countOwn(db, table, accountId)
  const { size, skip, direction, inOrder } = fromNearerEnd({ limit, offset }, total)
  if (size === 0) return { ids: [], total }
  const rows = await db
    .selectFrom(table)
    .select('id')
    .where('account_id', '=', accountId)
    .orderBy('id', direction)
    .limit(size)
    .offset(skip)
    .execute()
  return { ids: inOrder(rows.map(({ id }) => id)), total }
}

async function countOwn(
  db: Db,
  table: OwnedTable | 'qr_codes',
  accountId: number,
): Promise<number> {
  if (table === 'qr_codes') return countRows(db, table, accountId)
  const { total } = await db
    .selectFrom(table)
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  return total
}
