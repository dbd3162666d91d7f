import { type RawBuilder, sql } from 'kysely'
import { type PageQuery, planPageRead } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'

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
  /** Whether excluding archived links is the only criterion. */
  withoutArchived?: boolean
  /** Whether `where` excludes links with clicks. */
  isUnclicked?: boolean
}

/**
 * Returns the ids on a page of `total` links. Reads from the nearer end of an index, so the slowest
 * page is in the middle: 67 ms for a million links.
 */
export async function readPageOfIds(
  db: Db,
  { accountId, order, where, withoutArchived = false, isUnclicked = false }: Selection,
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
    withoutArchived && sortKey === 'clicks'
      ? selectByClicksWithoutArchived(accountId, sqlDirection, limit)
      : selectByKey[sortKey](
          accountId,
          sqlDirection,
          limit,
          withoutArchived ? NOT_ARCHIVED : condition,
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

const NOT_ARCHIVED = sql`links.archived_at is null`

/**
 * Few links are archived, so PostgreSQL collects them in a hash table. Reading the middle of a
 * million links takes 150 ms this way, and 1.7 s if each link is checked.
 */
function selectByClicksWithoutArchived(accountId: number, sqlDirection: SqlPart, limit: SqlPart) {
  return sql<Row>`
    select link_id as id from link_order
    where account_id = ${accountId} and link_id not in (
      select id from links
      where account_id = ${accountId} and kind = 'link' and archived_at is not null)
    order by clicks ${sqlDirection}, link_id ${sqlDirection} ${limit}`
}
