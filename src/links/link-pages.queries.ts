import { sql } from 'kysely'
import { fromNearerEnd, type PageQuery } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import { preparedText } from '../db/prepared.ts'
import { countRows } from '../db/row-counts.queries.ts'

/** Newest first, or most clicked first and then newest. */
export type LinkOrder = 'date' | 'click'
export type PageOfIds = { ids: number[]; total: number }

/** Entries from the newest within which one statement reads a page and the total. */
const FRONT = 1000

/**
 * Returns the ids on a page of an account's links, with the number of all of them. A page is read from the
 * nearer end of an index, so the worst one is in the middle: 67 ms for a million links.
 */
export async function pageOfLinks(
  db: Db,
  accountId: number,
  { order, ...page }: PageQuery & { order: LinkOrder },
): Promise<PageOfIds> {
  if (order === 'date' && page.offset + page.limit <= FRONT) return frontPage(db, accountId, page)
  const total = await countRows(db, 'links', accountId)
  const { size, skip, direction, inOrder } = fromNearerEnd(page, total)
  if (size === 0) return { ids: [], total }
  const ends = sql.raw(direction)
  const { rows } = await (order === 'date'
    ? sql<{ id: number }>`
          select id from links where ${isLinkOf(accountId)}
          order by account_id ${ends}, id ${ends} limit ${size} offset ${skip}`
    : sql<{ id: number }>`
          select link_id as id from link_order where account_id = ${accountId}
          order by clicks ${ends}, link_id ${ends} limit ${size} offset ${skip}`
  ).execute(db)
  return { ids: inOrder(rows.map(({ id }) => id)), total }
}

/**
 * Account and id are compared as one row: with a condition on the account alone, PostgreSQL may walk the
 * primary key through the links of all accounts. With 60,000 newer links of others, fifteen ids took 100 ms
 * that way, and take 0.1 ms this way.
 */
export function isLinkOf(accountId: number) {
  return sql`(account_id, id) >= (${accountId}, 0)
    and (account_id, id) < (${accountId}, ${Number.MAX_SAFE_INTEGER}) and kind = 'link'`
}

// For a limit that is a parameter, PostgreSQL expects a tenth of all rows and plans anew each time. With a
// literal limit, one plan serves every page.
const front = preparedText<{ total: string | null; ids: string[] }>(`
select
  (select sum(rows) from row_counts where kind = 'links' and owner_id = $1) as total,
  array(
    select id from (
      select id from links
      where (account_id, id) >= ($1, 0) and (account_id, id) < ($1, ${Number.MAX_SAFE_INTEGER})
        and kind = 'link'
      order by account_id desc, id desc limit ${FRONT}
    ) newest
    limit $2 offset $3) as ids`)

async function frontPage(
  db: Db,
  accountId: number,
  { limit, offset }: PageQuery,
): Promise<PageOfIds> {
  const [row] = await front(db, [accountId, limit, offset])
  return { ids: (row?.ids ?? []).map(Number), total: Number(row?.total) }
}
