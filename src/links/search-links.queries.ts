import { sql } from 'kysely'
import { idArray } from '../db/id-array.ts'
import type { PageQuery } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import { countRows } from '../db/row-counts.queries.ts'
import { isBroken } from './check/broken.queries.ts'
import type { LinkCriteria, LinkState } from './link-filter.ts'
import { type PageOfIds, readPageOfLinks } from './link-pages.queries.ts'
import { archiveCondition, isArchived, type LinkOrder, readPageOfIds } from './link-sort.queries.ts'
import {
  type Condition,
  countMatches,
  countUpTo,
  type Filter,
  hasTag,
  taggedLinks,
} from './match-counts.queries.ts'
import { findWords } from './search-words.queries.ts'

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

/**
 * Returns the ids on a page of the links that match the criteria, and the total. Up to
 * `maxMatches` matches are found with one query. If there are more, they are counted separately,
 * and the page is read along an index.
 */
export async function searchLinks(
  db: Db,
  { accountId, criteria, order, now, limitCount = false }: Search,
  page: PageQuery,
  maxMatches = COUNT_LIMIT,
): Promise<PageOfIds> {
  const { archived, ...others } = criteria
  const isArchiveOnly = archived !== undefined && Object.keys(others).length === 0
  if (isArchiveOnly) return readPageByArchive(db, { accountId, order, archived }, page)
  const filter = await buildFilter(db, accountId, criteria, now, maxMatches)
  if (!filter) return { ids: [], total: 0 }
  const { where } = filter
  const found = filter.isCommon ? undefined : await findLimited(db, accountId, where, maxMatches)
  if (found) {
    const isFound = sql`links.id = any(${idArray(found)}::bigint[])`
    const search = { accountId, where: isFound, order }
    return { ids: await readPageOfIds(db, search, page, found.length), total: found.length }
  }
  const isUnclicked = criteria.neverClicked ?? false
  const search = { accountId, where, order, isUnclicked }
  if (!limitCount) {
    const total = await countMatches(db, accountId, filter)
    return { ids: await readPageOfIds(db, search, page, total), total }
  }
  const countLimit = Math.max(maxMatches, page.offset + page.limit)
  // `findLimited` has already found more than `maxMatches` links.
  const exceedsLimit = !filter.isCommon && countLimit <= maxMatches
  const total = exceedsLimit ? Infinity : await countUpTo(db, accountId, filter, countLimit + 1)
  const hasMore = total > countLimit
  const ids = await readPageOfIds(db, search, page, hasMore ? Infinity : total)
  return { ids, total: Math.min(total, countLimit), hasMore }
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
  const archivedCount = await countArchived(db, accountId)
  if (!archived && archivedCount === 0) return readPageOfLinks(db, accountId, { order, ...page })
  const all = await countRows(db, 'links', accountId)
  const total = archived ? archivedCount : Math.max(0, all - archivedCount)
  return { ids: await readPageOfIds(db, { accountId, order, archived }, page, total), total }
}

function archivedLinks(accountId: number): Condition {
  return sql`links where account_id = ${accountId} and kind = 'link' and archived_at is not null`
}

/** Returns the number of archived links of an account. */
async function countArchived(db: Db, accountId: number): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    select count(*)::integer as total from ${archivedLinks(accountId)}`.execute(db)
  return rows[0]?.total ?? 0
}

/** Returns whether the account has archived links. */
export async function hasArchivedLinks(db: Db, accountId: number): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from ${archivedLinks(accountId)}) as found`.execute(db)
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
  const filter = await buildFilter(db, accountId, criteria, now, COUNT_LIMIT)
  if (!filter) return []
  const { rows } = await sql<{ id: number }>`
    select id from links where account_id = ${accountId} and kind = 'link' and ${filter.where}
    order by account_id desc, created_at desc, id desc limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Returns the ids of the matches, or undefined if there are more than `maxMatches`. */
async function findLimited(
  db: Db,
  accountId: number,
  where: Condition,
  maxMatches: number,
): Promise<number[] | undefined> {
  const { rows } = await sql<{ ids: string[] | null }>`
    select case when count(*) <= ${maxMatches} then coalesce(array_agg(id), '{}') end as ids
    from (
      select id from links where account_id = ${accountId} and kind = 'link' and ${where}
      limit ${maxMatches + 1}
    ) found`.execute(db)
  return rows[0]?.ids?.map(Number)
}

/** Criteria that are counted without reading links. */
const UNCLICKED_CRITERIA: ReadonlySet<string> = new Set(['neverClicked', 'archived'])

/** Returns the criteria as SQL conditions, or undefined if no link can match. */
async function buildFilter(
  db: Db,
  accountId: number,
  criteria: LinkCriteria,
  now: Date,
  maxMatches: number,
): Promise<Filter | undefined> {
  const { search, tagKey, state, domainId, neverClicked, archived } = criteria
  const all = buildSimpleConditions(criteria)
  if (domainId !== undefined) all.push(sql`domain_id = ${domainId}`)
  if (state) all.push(hasState(state, now))
  if (neverClicked) {
    const unclicked = await findUnclicked(db, accountId, maxMatches)
    all.push(unclicked ? sql`links.id = any(${idArray(unclicked)}::bigint[])` : IS_UNCLICKED)
    const isOnlyCriterion = Object.keys(criteria).every((name) => UNCLICKED_CRITERIA.has(name))
    if (!unclicked && isOnlyCriterion && !archived) {
      const matches =
        archived === undefined
          ? unclickedLinks(accountId)
          : sql`${unclickedLinks(accountId)} and not ${isArchived(accountId)}`
      return { where: sql.join(all, sql` and `), matches, isCommon: true }
    }
  }
  if (tagKey !== undefined) {
    const tagIds = await findTagIds(db, accountId, sql`key = ${tagKey}`)
    if (tagIds.length === 0) return undefined
    all.push(hasTag(tagIds))
    if (all.length === 1 && !search) return { where: hasTag(tagIds), matches: taggedLinks(tagIds) }
  }
  if (!search) return { where: all.length > 0 ? sql.join(all, sql` and `) : sql`true` }
  const words = await findWords(db, accountId, search, maxMatches)
  const [word] = words
  const isOnlyCriterion = all.length === 0 && words.length === 1
  return {
    where: sql.join([...all, ...words.map(({ isFound }) => isFound)], sql` and `),
    ...(isOnlyCriterion && word?.isCommonTag && { textOrTags: word, isCommon: true }),
  }
}

function buildSimpleConditions({
  campaignId,
  createdFrom,
  createdBefore,
  archived,
}: LinkCriteria): Condition[] {
  const all: Condition[] = archived === undefined ? [] : [archiveCondition(archived)]
  if (campaignId !== undefined) {
    all.push(sql`exists (
      select from campaign_links where campaign_id = ${campaignId} and link_id = links.id)`)
  }
  if (createdFrom) all.push(sql`links.created_at >= ${createdFrom}`)
  if (createdBefore) all.push(sql`links.created_at < ${createdBefore}`)
  return all
}

async function findTagIds(db: Db, accountId: number, condition: Condition): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from tags where account_id = ${accountId} and ${condition}`.execute(db)
  return rows.map(({ id }) => id)
}

/**
 * Returns the ids of the links without clicks, or undefined if there are more than `maxMatches`.
 */
async function findUnclicked(
  db: Db,
  accountId: number,
  maxMatches: number,
): Promise<number[] | undefined> {
  const { rows } = await sql<{ link_id: number }>`
    select link_id from ${unclickedLinks(accountId)} limit ${maxMatches + 1}`.execute(db)
  return rows.length > maxMatches ? undefined : rows.map(({ link_id }) => link_id)
}

/** Every listed link has a row in `link_order`. */
function unclickedLinks(accountId: number): Condition {
  return sql`link_order where account_id = ${accountId} and clicks = 0`
}

/**
 * Not a condition that can be planned as a join: after an import, while PostgreSQL has no
 * statistics about the new links, it would compare each of them with all others.
 */
const IS_UNCLICKED = sql`(
  select ranked.clicks from link_order ranked where ranked.link_id = links.id) = 0`

/** Matches the conditions of the partial indexes on links. */
function hasState(state: LinkState, now: Date): Condition {
  switch (state) {
    case 'active':
      return sql`status = 'active' and (ends_at is null or ends_at > ${now})`
    case 'expired':
      return sql`status = 'active' and ends_at is not null and ends_at <= ${now}`
    case 'scheduled':
      return sql`${hasState('active', now)} and starts_at > ${now}`
    case 'disabled':
      return sql`status = 'disabled'`
    case 'broken':
      return sql`${hasState('active', now)} and exists (
        select from link_checks where link_checks.link_id = links.id and ${isBroken})`
  }
}
