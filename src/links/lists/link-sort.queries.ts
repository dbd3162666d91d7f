import { type RawBuilder, sql } from 'kysely'
import { unscoped } from '../../db/account-rows.ts'
import { type Page, type PageQuery, planPageRead } from '../../db/pagination.ts'
import type { Db } from '../../db/pool.ts'
import { prepareStatement } from '../../db/prepared.ts'
import { countRows } from '../../db/row-counts.queries.ts'
import type { AccountScope } from '../../scope.ts'

/** The sort orders. Each uses an indexed column, in either direction. */
const SORTS = {
  date: { sortKey: 'created', ascending: false },
  oldest: { sortKey: 'created', ascending: true },
  click: { sortKey: 'clicks', ascending: false },
  'least-clicked': { sortKey: 'clicks', ascending: true },
  alias: { sortKey: 'alias', ascending: true },
  'alias-descending': { sortKey: 'alias', ascending: false },
} as const

/**
 * By creation (newest first), by clicks (most clicked first, then newest) or by alias, or the
 * reverse of any of these.
 */
export type LinkOrder = keyof typeof SORTS

type Selection = {
  accountId: number
  order: LinkOrder
  /** A condition on `links`. */
  where?: RawBuilder<unknown> | undefined
  /** Set if being archived, or not being archived, is the only criterion. */
  archived?: boolean
  /** Whether `where` excludes links with clicks. */
  isUnclicked?: boolean
}

/**
 * Returns the ids on a page of `total` links. Reads from the nearer end of an index, so the slowest
 * page is in the middle: 67 ms for a million links.
 */
export async function readPageOfIds(
  db: Db,
  { accountId, order, where, archived, isUnclicked = false }: Selection,
  page: PageQuery,
  total: number,
): Promise<number[]> {
  const { sortKey, ascending } = SORTS[order]
  const { size, skip, direction, restoreOrder } = planPageRead(page, total)
  if (size === 0) return []
  const sqlDirection = sql.raw((direction === 'asc') === ascending ? 'desc' : 'asc')
  const limit = sql`limit ${size} offset ${skip}`
  // Reads only the links without clicks from the index, instead of checking each link.
  const condition =
    isUnclicked && sortKey === 'clicks'
      ? sql`link_order.clicks = 0 and ${where ?? sql`true`}`
      : where
  const select =
    archived !== undefined && sortKey === 'clicks'
      ? selectByClicksAndArchive(accountId, archived, sqlDirection, limit)
      : selectByKey[sortKey](
          accountId,
          sqlDirection,
          limit,
          archived === undefined ? condition : archiveCondition(archived),
        )
  const { rows } = await select.execute(db)
  return restoreOrder(rows.map(({ id }) => id))
}

type SqlPart = RawBuilder<unknown>
type Select = (
  accountId: number,
  sqlDirection: SqlPart,
  limit: SqlPart,
  where?: SqlPart,
) => RawBuilder<Row>
type Row = { id: number }

const selectByKey: Record<(typeof SORTS)[LinkOrder]['sortKey'], Select> = {
  created: (accountId, sqlDirection, limit, where = sql`true`) => sql<Row>`
    select id from links where account_id = ${accountId} and kind = 'link' and ${where}
    order by account_id ${sqlDirection}, created_at ${sqlDirection}, id ${sqlDirection} ${limit}`,
  alias: (accountId, sqlDirection, limit, where = sql`true`) => sql<Row>`
    select id from links where account_id = ${accountId} and kind = 'link' and ${where}
    order by alias collate "C" ${sqlDirection}, id ${sqlDirection} ${limit}`,
  clicks: (accountId, sqlDirection, limit, where) =>
    where
      ? sql<Row>`
    select links.id from link_order join links on links.id = link_order.link_id
    where link_order.account_id = ${accountId} and ${where}
    order by link_order.clicks ${sqlDirection}, link_order.link_id ${sqlDirection} ${limit}`
      : sql<Row>`
    select link_id as id from link_order where account_id = ${accountId}
    order by clicks ${sqlDirection}, link_id ${sqlDirection} ${limit}`,
}

/** Returns the condition on `links` that they are archived, or that they are not. */
export function archiveCondition(archived: boolean): SqlPart {
  return archived ? sql`links.archived_at is not null` : sql`links.archived_at is null`
}

/**
 * Unlike a join with `links`, which PostgreSQL executes link by link, the subquery can be hashed
 * for pages far from both ends.
 */
function selectByClicksAndArchive(
  accountId: number,
  archived: boolean,
  sqlDirection: SqlPart,
  limit: SqlPart,
) {
  const condition = archived ? isArchived(accountId) : sql`not ${isArchived(accountId)}`
  return sql<Row>`
    select link_id as id from link_order where account_id = ${accountId} and ${condition}
    order by clicks ${sqlDirection}, link_id ${sqlDirection} ${limit}`
}

/**
 * Returns the condition on `link_order` that a link is archived. `link_id in (…)` would be as fast,
 * but `not in` is slow for many archived links: its list is hashed only if it fits in `work_mem`.
 */
export function isArchived(accountId: number): SqlPart {
  return sql`exists (
    select from links where links.id = link_order.link_id
      and links.account_id = ${accountId} and kind = 'link' and archived_at is not null)`
}

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
