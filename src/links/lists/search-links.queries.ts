import { sql } from 'kysely'
import { unscoped } from '../../db/account-rows.ts'
import { idArray } from '../../db/arrays.ts'
import { isStatementTimeout } from '../../db/errors.ts'
import type { PageQuery } from '../../db/pagination.ts'
import type { Db } from '../../db/pool.ts'
import { countRows } from '../../db/row-counts.queries.ts'
import type { AccountScope } from '../../scope.ts'
import {
  type Condition,
  countMatches,
  countUpTo,
  type Filter,
  type LinkCriteria,
} from '../link-filter.ts'
import {
  type LinkOrder,
  type PageOfIds,
  readPageOfIds,
  readPageOfLinks,
} from './link-sort.queries.ts'
import {
  type ScanLimits,
  type ScanOptions,
  type ScanResult,
  scanLinks,
} from './scan-links.queries.ts'
import { buildFilter } from './search-conditions.queries.ts'

export type Search = {
  accountId: number
  criteria: LinkCriteria
  order: LinkOrder
  /** The time at which links count as expired or not. */
  now: Date
  /** Whether matches are counted only up to `COUNT_LIMIT`, or up to the end of a later page. */
  limitCount?: boolean
}

/** The number up to which matches are counted if the exact number is not needed. */
export const COUNT_LIMIT = 10_000
/** Accounts with more links are searched range by range, because one statement may take too long. */
const ONE_STATEMENT_LINKS = 500_000
/** In accounts with more links, matches are counted only up to a limit. */
const EXACT_COUNT_LINKS = 1_000_000

/** Limits that tests lower. */
type Limits = ScanLimits & {
  maxMatches?: number
  oneStatementLinks?: number
  exactCountLinks?: number
}

/**
 * Returns the ids on a page of the links that match the criteria, and the total. Up to
 * `maxMatches` matches are found first, of large accounts as far as time permits. If there are more,
 * they are counted separately, and the page is read along an index.
 */
export async function searchLinks(
  db: Db,
  search: Search,
  page: PageQuery,
  limits: Limits = {},
): Promise<PageOfIds> {
  const { accountId, criteria, order, now } = search
  const { maxMatches = COUNT_LIMIT, oneStatementLinks = ONE_STATEMENT_LINKS } = limits
  const { archived, ...others } = criteria
  const isArchiveOnly = archived !== undefined && Object.keys(others).length === 0
  if (isArchiveOnly) return readPageByArchive(db, { accountId, order, archived }, page)
  const filter = await buildFilter({ db, accountId }, criteria, now, maxMatches)
  if (!filter) return { ids: [], total: 0 }
  const { where } = filter
  const isLarge =
    criteria.search !== undefined && (await countRows(db, 'links', accountId)) > oneStatementLinks
  const find = isLarge || criteria.beforeId !== undefined ? findInRanges : findLimited
  const options = { ...limits, maxMatches, before: criteria.beforeId }
  const found = filter.isCommon ? undefined : await find(db, accountId, where, options)
  if (found) {
    const { ids, readTo } = found
    const selection = { accountId, where: sql`links.id = any(${idArray(ids)}::bigint[])`, order }
    return {
      ids: await readPageOfIds(db, selection, page, ids.length),
      total: ids.length,
      ...(readTo !== undefined && { hasMore: true, readTo }),
    }
  }
  return readPageAlongIndex(db, search, filter, page, limits)
}

/** Returns a page of more than `maxMatches` matches. */
async function readPageAlongIndex(
  db: Db,
  { accountId, criteria, order, limitCount }: Search,
  filter: Filter,
  page: PageQuery,
  { maxMatches = COUNT_LIMIT, exactCountLinks = EXACT_COUNT_LINKS }: Limits,
): Promise<PageOfIds> {
  const isUnclicked = criteria.neverClicked ?? false
  const selection = { accountId, where: filter.where, order, isUnclicked }
  const exact = limitCount
    ? undefined
    : await countIfCheap({ db, accountId }, filter, exactCountLinks)
  if (exact !== undefined) {
    return { ids: await readPageOfIds(db, selection, page, exact), total: exact }
  }
  const countLimit = Math.max(maxMatches, page.offset + page.limit)
  // More than `maxMatches` links have already been found.
  const exceedsLimit = !filter.isCommon && countLimit <= maxMatches
  const total = exceedsLimit ? Infinity : await countUpTo({ db, accountId }, filter, countLimit + 1)
  const hasMore = total > countLimit
  const ids = await readPageOfIds(db, selection, page, hasMore ? Infinity : total)
  return { ids, total: Math.min(total, countLimit), hasMore }
}

/**
 * Returns the number of matches, or undefined if counting them takes too long. A smaller table is
 * counted up to the size up to which accounts are counted.
 */
async function countIfCheap(
  scope: AccountScope,
  filter: Filter,
  max: number,
): Promise<number | undefined> {
  try {
    const links = await countRows(unscoped(scope), 'links', scope.accountId)
    if (links <= max) return await countMatches(scope, filter)
    const total = filter.matches ? await countUpTo(scope, filter, max + 1) : Infinity
    return total > max ? undefined : total
  } catch (error) {
    // After a timeout, a transaction cannot run other statements.
    if (!isStatementTimeout(error) || scope.db.isTransaction) throw error
    return undefined
  }
}

/**
 * Returns a page of the archived links, or of the links that are not archived. The number of
 * archived links determines both totals.
 */
async function readPageByArchive(
  db: Db,
  { accountId, order, archived }: Pick<Search, 'accountId' | 'order'> & { archived: boolean },
  page: PageQuery,
): Promise<PageOfIds> {
  const archivedCount = await countArchived({ db, accountId })
  if (!archived && archivedCount === 0)
    return readPageOfLinks({ db, accountId }, { order, ...page })
  const all = await countRows(db, 'links', accountId)
  const total = archived ? archivedCount : Math.max(0, all - archivedCount)
  return { ids: await readPageOfIds(db, { accountId, order, archived }, page, total), total }
}

function archivedLinks(accountId: number): Condition {
  return sql`links where account_id = ${accountId} and kind = 'link' and archived_at is not null`
}

/** Returns the number of archived links of an account. */
async function countArchived(scope: AccountScope): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    select count(*)::integer as total from ${archivedLinks(scope.accountId)}`.execute(
    unscoped(scope),
  )
  return rows[0]?.total ?? 0
}

/** Returns whether the account has archived links. */
export async function hasArchivedLinks(scope: AccountScope): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from ${archivedLinks(scope.accountId)}) as found`.execute(unscoped(scope))
  return rows[0]?.found ?? false
}

/** Returns the ids of the links that match the criteria, newest first, at most `limit`. */
export async function findAllIds(
  db: Db,
  {
    accountId,
    criteria = {},
    now,
  }: Omit<Search, 'order' | 'criteria'> & { criteria?: LinkCriteria },
  limit: number,
): Promise<number[]> {
  const filter = await buildFilter({ db, accountId }, criteria, now, COUNT_LIMIT)
  if (!filter) return []
  const { rows } = await sql<{ id: number }>`
    select id from links where account_id = ${accountId} and kind = 'link' and ${filter.where}
    order by account_id desc, created_at desc, id desc limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Returns whether there are more than `max` matches, or whether counting them takes too long. */
export async function exceeds(
  db: Db,
  { accountId, criteria, now }: Omit<Search, 'order'>,
  max: number,
): Promise<boolean> {
  try {
    const filter = await buildFilter({ db, accountId }, criteria, now, COUNT_LIMIT)
    return filter !== undefined && (await countUpTo({ db, accountId }, filter, max + 1)) > max
  } catch (error) {
    if (!isStatementTimeout(error)) throw error
    return true
  }
}

/**
 * Returns the newest matches below an id, in the order of arrival. `readTo` is the id at which to
 * continue.
 */
export async function findAfter(
  db: Db,
  { accountId, criteria, now }: Omit<Search, 'order'>,
  { before, limit }: { before: number | undefined; limit: number },
): Promise<ScanResult> {
  const filter = await buildFilter({ db, accountId }, criteria, now, COUNT_LIMIT)
  if (!filter) return { ids: [] }
  return scanLinks({ db, accountId }, filter.where, { before, maxMatches: limit, isOrdered: true })
}

type Find = (
  db: Db,
  accountId: number,
  where: Condition,
  options: ScanOptions,
) => Promise<ScanResult | undefined>

/** Returns the ids of the matches, or undefined if there are more than `maxMatches`. */
const findLimited: Find = async (db, accountId, where, options) => {
  const { maxMatches } = options
  try {
    const { rows } = await sql<{ ids: string[] | null }>`
      select case when count(*) <= ${maxMatches} then coalesce(array_agg(id), '{}') end as ids
      from (
        select id from links where account_id = ${accountId} and kind = 'link' and ${where}
        limit ${maxMatches + 1}
      ) found`.execute(db)
    return rows[0]?.ids ? { ids: rows[0].ids.map(Number) } : undefined
  } catch (error) {
    // After a timeout, a transaction cannot run other statements.
    if (!isStatementTimeout(error) || db.isTransaction) throw error
    return findInRanges(db, accountId, where, options)
  }
}

/** The same, as far as time permits. */
const findInRanges: Find = async (db, accountId, where, options) => {
  const maxMatches = options.maxMatches + 1
  const found = await scanLinks({ db, accountId }, where, { ...options, maxMatches })
  return found.ids.length === maxMatches ? undefined : found
}
