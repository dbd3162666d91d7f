import { sql } from 'kysely'
import type { PageQuery } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import { preparedText } from '../db/prepared.ts'
import { WHOLE } from '../db/row-counts.queries.ts'

/** Which links of an account: all, or those that are not in the order by clicks. */
export type Which = 'all' | 'unclicked'

type Walk = {
  direction: 'asc' | 'desc'
  /** Entries that are passed over. */
  skip: number
  size: number
  which?: Which
  /** The ids walked are from this one to before the other. */
  from?: number
  to?: number
}

/**
 * The ids of an account's links, walked in the index on `(account_id, id)`. Account and id are compared
 * as one row, and ordered by: with a condition on the account alone, PostgreSQL may walk the primary key
 * through the links of all accounts in the hope of meeting that one's soon. Under 60,000 newer links of
 * others that took 100 ms for fifteen ids, and this way 0.1.
 */
export async function readIds(
  db: Db,
  accountId: number,
  { direction, skip, size, which = 'all', from = 0, to = Number.MAX_SAFE_INTEGER }: Walk,
): Promise<number[]> {
  const order = sql.raw(direction)
  const isUnclicked = sql`not exists (select from link_order where link_id = links.id)`
  const { rows } = await sql<{ id: number }>`
    select id from links
    where (account_id, id) >= (${accountId}, ${from}) and (account_id, id) < (${accountId}, ${to})
      and kind = 'link' ${which === 'unclicked' ? sql`and ${isUnclicked}` : sql``}
    order by account_id ${order}, id ${order} limit ${size} offset ${skip}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Entries from the newest within which a page is read together with how many there are. */
export const FRONT = 1000

// Of a limit that is a parameter PostgreSQL expects a tenth of all rows, and plans anew each time for the
// few that are asked for. With one that is written out, one plan serves every page.
const front = preparedText<{ total: string | null; ids: string[] }>(`
select
  (select sum(rows) from row_counts
   where kind = 'links' and owner_id = $1 and block = ${WHOLE}) as total,
  array(
    select id from (
      select id from links
      where (account_id, id) >= ($1, 0) and (account_id, id) < ($1, ${Number.MAX_SAFE_INTEGER})
        and kind = 'link'
      order by account_id desc, id desc limit ${FRONT}
    ) newest
    limit $2 offset $3) as ids`)

/**
 * The ids of the links on a page that ends within the newest `FRONT` of an account, and how many links
 * it has, of the same moment.
 */
export async function readFront(
  db: Db,
  accountId: number,
  { limit, offset }: PageQuery,
): Promise<{ ids: number[]; total: number }> {
  const [row] = await front(db, [accountId, limit, offset])
  return { ids: (row?.ids ?? []).map(Number), total: Number(row?.total) }
}
