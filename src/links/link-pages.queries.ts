import type { PageQuery } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import { preparedText } from '../db/prepared.ts'
import { countRows } from '../db/row-counts.queries.ts'
import { type LinkOrder, readPageOfIds } from './link-sort.queries.ts'

export type PageOfIds = { ids: number[]; total: number }

/**
 * The number of newest entries within which a single statement reads both the page and the total.
 */
const SINGLE_STATEMENT_ROWS = 1000

/** Returns the ids on a page of an account's links, and the total. */
export async function pageOfLinks(
  db: Db,
  accountId: number,
  { order, ...page }: PageQuery & { order: LinkOrder },
): Promise<PageOfIds> {
  if (order === 'date' && page.offset + page.limit <= SINGLE_STATEMENT_ROWS)
    return frontPage(db, accountId, page)
  const total = await countRows(db, 'links', accountId)
  return { ids: await readPageOfIds(db, { accountId, order }, page, total), total }
}

// With a limit as a parameter, PostgreSQL estimates a tenth of all rows and plans each time. With a
// literal limit, it uses one plan for every page.
const front = preparedText<{ total: string | null; ids: string[] }>(`
select
  (select sum(rows) from row_counts where kind = 'links' and owner_id = $1) as total,
  array(
    select id from (
      select id from links
      where account_id = $1 and kind = 'link'
      order by account_id desc, created_at desc, id desc limit ${SINGLE_STATEMENT_ROWS}
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
