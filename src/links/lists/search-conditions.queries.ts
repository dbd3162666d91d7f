import { sql } from 'kysely'
import { unscoped } from '../../db/account-rows.ts'
import { idArray, textArray } from '../../db/arrays.ts'
import type { Db } from '../../db/pool.ts'
import type { AccountScope } from '../../scope.ts'
import { isBroken } from '../check/link-check.queries.ts'
import {
  type Condition,
  type Filter,
  hasTag,
  type LinkCriteria,
  type LinkState,
  type SearchTerms,
  taggedLinks,
} from '../link-filter.ts'
import { archiveCondition, isArchived } from './link-sort.queries.ts'

type FoundWord = {
  /** The condition on the texts of links, and the ids of matching tags. */
  text: Condition
  tagIds: readonly number[]
  /** The condition that either of them matches. */
  isFound: Condition
  /** Whether more than `maxMatches` links have a matching tag. */
  isCommonTag: boolean
}

/** Criteria that are counted without reading links. */
const UNCLICKED_CRITERIA: ReadonlySet<string> = new Set(['neverClicked', 'archived'])

/** Returns the criteria as SQL conditions, or undefined if no link can match. */
export async function buildFilter(
  scope: AccountScope,
  criteria: LinkCriteria,
  now: Date,
  maxMatches: number,
): Promise<Filter | undefined> {
  const { search, tagKey, state, domainId, neverClicked, archived } = criteria
  const all = buildSimpleConditions(criteria)
  if (domainId !== undefined) all.push(sql`domain_id = ${domainId}`)
  if (state) all.push(hasState(state, now))
  if (neverClicked) {
    const unclicked = await findUnclicked(scope, maxMatches)
    all.push(unclicked ? sql`links.id = any(${idArray(unclicked)}::bigint[])` : IS_UNCLICKED)
    const isOnlyCriterion = Object.keys(criteria).every((name) => UNCLICKED_CRITERIA.has(name))
    if (!unclicked && isOnlyCriterion && !archived) {
      const matches =
        archived === undefined
          ? unclickedLinks(scope.accountId)
          : sql`${unclickedLinks(scope.accountId)} and not ${isArchived(scope.accountId)}`
      return { where: sql.join(all, sql` and `), matches, isCommon: true }
    }
  }
  if (tagKey !== undefined) {
    const tagIds = await findTagIds(scope, sql`key = ${tagKey}`)
    if (tagIds.length === 0) return undefined
    all.push(hasTag(tagIds))
    if (all.length === 1 && !search) return { where: hasTag(tagIds), matches: taggedLinks(tagIds) }
  }
  if (!search) return { where: all.length > 0 ? sql.join(all, sql` and `) : sql`true` }
  const words = await findWords(scope, search, maxMatches)
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
  beforeId,
}: LinkCriteria): Condition[] {
  const all: Condition[] = archived === undefined ? [] : [archiveCondition(archived)]
  if (campaignId !== undefined) {
    all.push(sql`exists (
      select from campaign_links where campaign_id = ${campaignId} and link_id = links.id)`)
  }
  if (beforeId !== undefined) all.push(sql`links.id < ${beforeId}`)
  if (createdFrom) all.push(sql`links.created_at >= ${createdFrom}`)
  if (createdBefore) all.push(sql`links.created_at < ${createdBefore}`)
  return all
}

async function findTagIds(scope: AccountScope, condition: Condition): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from tags where account_id = ${scope.accountId} and ${condition}`.execute(
    unscoped(scope),
  )
  return rows.map(({ id }) => id)
}

/**
 * Returns the ids of the links without clicks, or undefined if there are more than `maxMatches`.
 */
async function findUnclicked(
  scope: AccountScope,
  maxMatches: number,
): Promise<number[] | undefined> {
  const { rows } = await sql<{ link_id: number }>`
    select link_id from ${unclickedLinks(scope.accountId)} limit ${maxMatches + 1}`.execute(
    unscoped(scope),
  )
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

/** Returns the condition of each word. */
async function findWords(
  scope: AccountScope,
  search: readonly SearchTerms[],
  maxMatches: number,
): Promise<FoundWord[]> {
  const tags = await findTagsByWord(
    scope,
    search.map(({ text }) => text),
  )
  const words: FoundWord[] = []
  for (const [index, terms] of search.entries()) {
    const text = hasText(terms)
    const tagIds = tags[index] ?? []
    const tagged = tagIds.length > 0 ? await findTagged(unscoped(scope), tagIds, maxMatches) : []
    const isTagged = tagged ? sql`links.id = any(${idArray(tagged)}::bigint[])` : hasTag(tagIds)
    const isFound = tagged?.length === 0 ? text : sql`(${text} or ${isTagged})`
    words.push({ text, tagIds, isFound, isCommonTag: tagged === undefined })
  }
  return words
}

/** Returns the ids of the tags that contain each word, in the order of the words. */
async function findTagsByWord(scope: AccountScope, words: readonly string[]): Promise<number[][]> {
  const { rows } = await sql<{ id: number; word: number }>`
    select tags.id, word.number::integer as word
    from tags join unnest(${textArray(words)}::text[]) with ordinality word (text, number)
      on strpos(key, word.text) > 0
    where account_id = ${scope.accountId}`.execute(unscoped(scope))
  const found = words.map((): number[] => [])
  for (const { id, word } of rows) found[word - 1]?.push(id)
  return found
}

/**
 * Returns the ids of the links with any of the tags, or undefined if there are more than
 * `maxMatches`.
 */
async function findTagged(
  db: Db,
  tagIds: readonly number[],
  maxMatches: number,
): Promise<number[] | undefined> {
  const { rows } = await sql<{ link_id: number }>`
    select link_id from link_tags where tag_id = any(${[...tagIds]}::bigint[])
    limit ${maxMatches + 1}`.execute(db)
  return rows.length > maxMatches ? undefined : rows.map(({ link_id }) => link_id)
}

function hasText({ text, encoded, uppercase, lowercase }: SearchTerms): Condition {
  if (encoded === undefined) return sql`strpos(search_text, ${text}) > 0`
  // The only letter whose lowercase form has two characters.
  const stored = text.includes('i̇') ? sql`replace(search_text, 'İ', 'i̇')` : sql`search_text`
  // Translating letters takes ten times as long as searching, and few texts have non-ASCII letters.
  return sql`(strpos(search_text, ${encoded}) > 0
    or octet_length(search_text) > length(search_text)
      and strpos(translate(${stored}, ${uppercase}, ${lowercase}), ${text}) > 0)`
}
