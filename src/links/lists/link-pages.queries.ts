import { unscoped } from '../../db/account-rows.ts'
import type { Page, PageQuery } from '../../db/pagination.ts'
import { prepareStatement } from '../../db/prepared.ts'
import { countRows } from '../../db/row-counts.queries.ts'
import type { AccountScope } from '../../scope.ts'
import { type LinkOrder, readPageOfIds } from './link-sort.queries.ts'

export type PageOfIds = {
  ids: number[]
  total: number
} & Pick<Page<never>, 'hasMore' | 'readTo'>

/** Up to this many of the newest entries, one statement reads both the page and the total. */
const SINGLE_STATEMENT_ROWS = 1000

/** Returns the ids on a page of an account's links, and the total. */
export async function readPageOfLinks(
  scope: AccountScope,
  { order, ...page }: PageQuery & { order: LinkOrder },
): Promise<PageOfIds> {
  if (order === 'date' && page.offset + page.limit <= SINGLE_STATEMENT_ROWS)
    return readFrontPage(scope, page)
  const total = await countRows(unscoped(scope), 'links', scope.accountId)
  return {
    ids: await readPageOfIds(unscoped(scope), { accountId: scope.accountId, order }, page, total),
    total,
  }
}

// A literal limit lets PostgreSQL use the same plan for every page. With a parameter, it would
// assume a tenth of all rows and replan each time.
const selectFrontPage = prepareStatement<{ total: string | null; ids: string[] }>(`
select
  (select sum(rows) from row_counts where kind = 'links' and owner_id = $1) as total,
  array(
    select id from (
      select id from links
      where account_id = $1 and kind = 'link'
      order by account_id desc, created_at desc, id desc limit ${SINGLE_STATEMENT_ROWS}
    ) newest
    limit $2 offset $3) as ids`)

async function readFrontPage(
  scope: AccountScope,
  { limit, offset }: PageQuery,
): Promise<PageOfIds> {
  const [row] = await selectFrontPage(unscoped(scope), [scope.accountId, limit, offset])
  return { ids: (row?.ids ?? []).map(Number), total: Number(row?.total) }
}
