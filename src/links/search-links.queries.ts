import { type RawBuilder, sql } from 'kysely'
import { idArray } from '../db/id-array.ts'
import { fromNearerEnd, type PageQuery } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import type { LinkCriteria, LinkState, SearchTerms } from './link-filter.ts'
import { isLinkOf, type LinkOrder, type PageOfIds } from './link-pages.queries.ts'

export type Search = {
  accountId: number
  criteria: LinkCriteria
  order: LinkOrder
  /** Decides what has expired. */
  now: Date
}

type Condition = RawBuilder<unknown>

/** Matches that the first query returns; only of more are the others counted. */
const FEW = 5000

/**
 * Returns the ids on a page of the links that meet the criteria, with the number of all of them. Few matches
 * are found by one scan; of many, the exact number is counted, and a page is soon found along an index.
 */
export async function searchLinks(
  db: Db,
  { accountId, criteria, order, now }: Search,
  page: PageQuery,
  few = FEW,
): Promise<PageOfIds> {
  const where = await conditionOf(db, accountId, criteria, now, few)
  if (!where) return { ids: [], total: 0 }
  const { rows: found } = await sql<{ id: number }>`
    select id from links where account_id = ${accountId} and kind = 'link' and ${where}
    limit ${few + 1}`.execute(db)
  if (found.length > few) {
    const total = await countMatches(db, accountId, where)
    return { ids: await readPage(db, { accountId, where, order }, page, total), total }
  }
  const ids = found.map(({ id }) => id)
  const isFound = sql`links.id = any(${idArray(ids)}::bigint[])`
  const search = { accountId, where: isFound, order }
  return { ids: await readPage(db, search, page, ids.length), total: ids.length }
}

async function countMatches(db: Db, accountId: number, where: Condition): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    select count(*)::integer as total from links
    where account_id = ${accountId} and kind = 'link' and ${where}`.execute(db)
  return rows[0]?.total ?? 0
}

async function readPage(
  db: Db,
  { accountId, where, order }: { accountId: number; where: Condition; order: LinkOrder },
  page: PageQuery,
  total: number,
): Promise<number[]> {
  const { size, skip, direction, inOrder } = fromNearerEnd(page, total)
  if (size === 0) return []
  const ends = sql.raw(direction)
  const { rows } = await (order === 'date'
    ? sql<{ id: number }>`
          select id from links where ${isLinkOf(accountId)} and ${where}
          order by account_id ${ends}, id ${ends} limit ${size} offset ${skip}`
    : sql<{ id: number }>`
          select links.id from link_order join links on links.id = link_order.link_id
          where link_order.account_id = ${accountId} and ${where}
          order by link_order.clicks ${ends}, link_order.link_id ${ends}
          limit ${size} offset ${skip}`
  ).execute(db)
  return inOrder(rows.map(({ id }) => id))
}

/** The criteria as a condition on `links`; undefined if no link can meet them. */
async function conditionOf(
  db: Db,
  accountId: number,
  { search, tagKey, state, domainId }: LinkCriteria,
  now: Date,
  few: number,
): Promise<Condition | undefined> {
  const all: Condition[] = []
  if (domainId !== undefined) all.push(sql`domain_id = ${domainId}`)
  if (state) all.push(inState(state, now))
  if (tagKey !== undefined) {
    const tagIds = await findTagIds(db, accountId, sql`key = ${tagKey}`)
    if (tagIds.length === 0) return undefined
    all.push(hasTag(tagIds))
  }
  if (search) {
    const tagIds = await findTagIds(db, accountId, sql`strpos(key, ${search.text}) > 0`)
    const tagged = await isTagged(db, tagIds, few)
    all.push(tagged ? sql`(${hasText(search)} or ${tagged})` : hasText(search))
  }
  return sql.join(all, sql` and `)
}

async function findTagIds(db: Db, accountId: number, condition: Condition): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from tags where account_id = ${accountId} and ${condition}`.execute(db)
  return rows.map(({ id }) => id)
}

function hasTag(tagIds: readonly number[]): Condition {
  return sql`exists (
    select from link_tags where link_id = links.id and tag_id = any(${[...tagIds]}::bigint[]))`
}

/** The links with one of some tags; few are named, since looking up each link's tags takes longer. */
async function isTagged(
  db: Db,
  tagIds: readonly number[],
  few: number,
): Promise<Condition | undefined> {
  if (tagIds.length === 0) return undefined
  const { rows } = await sql<{ link_id: number }>`
    select link_id from link_tags where tag_id = any(${[...tagIds]}::bigint[])
    limit ${few + 1}`.execute(db)
  if (rows.length > few) return hasTag(tagIds)
  return sql`links.id = any(${idArray(rows.map(({ link_id }) => link_id))}::bigint[])`
}

function hasText({ text, encoded, capitals, small }: SearchTerms): Condition {
  if (encoded === undefined) return sql`strpos(search_text, ${text}) > 0`
  // Translating letters takes ten times as long as finding text, and few texts have such letters.
  return sql`(strpos(search_text, ${encoded}) > 0
    or octet_length(search_text) > length(search_text)
      and strpos(translate(search_text, ${capitals}, ${small}), ${text}) > 0)`
}

/** As the partial indexes of links have it. */
function inState(state: LinkState, now: Date): Condition {
  switch (state) {
    case 'active':
      return sql`status = 'active' and (expires_at is null or expires_at > ${now})`
    case 'expired':
      return sql`status = 'active' and expires_at is not null and expires_at <= ${now}`
    case 'disabled':
      return sql`status = 'disabled'`
  }
}
