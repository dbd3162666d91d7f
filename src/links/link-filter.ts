import { type RawBuilder, sql } from 'kysely'
import { unscoped } from '../db/account-rows.ts'
import type { Db } from '../db/pool.ts'
import { countRows } from '../db/row-counts.queries.ts'
import { invalid } from '../errors.ts'
import type { AccountScope } from '../scope.ts'
import { foldCase, requireText } from '../text.ts'

export type Condition = RawBuilder<unknown>

export type Filter = {
  where: Condition
  /** Rows of a smaller table, one for each match, if there is one. */
  matches?: Condition
  /** Whether many links are known to match. */
  isCommon?: boolean
  /**
   * Set if the only criterion is a text: the condition on the texts of links, and the ids of
   * matching tags.
   */
  textOrTags?: { text: Condition; tagIds: readonly number[] }
}

export const LINK_STATES = ['active', 'scheduled', 'disabled', 'expired', 'broken'] as const

/**
 * The state of a link. A disabled link is `disabled` even if it has expired. An active link can
 * also be `scheduled` (before its start) or `broken` (its destination does not work).
 */
export type LinkState = (typeof LINK_STATES)[number]

/** Selects links of an account. A link must match all properties that are set. */
export type LinkFilter = {
  /**
   * Words, each of which is part of the alias, destination, title or a tag, in any order. Case does
   * not matter.
   */
  search?: string | undefined
  /** A tag of the link. Case does not matter. */
  tag?: string | undefined
  state?: LinkState | undefined
  /** The id of the links' branded domain. */
  domainId?: number | undefined
  campaignId?: number | undefined
  /** The time of creation: `createdFrom` is inclusive, `createdBefore` exclusive. */
  createdFrom?: Date | undefined
  createdBefore?: Date | undefined
  neverClicked?: boolean | undefined
  /** Whether the links are archived. If undefined, both kinds match. */
  archived?: boolean | undefined
  /** Only links with smaller ids, to continue a search. */
  beforeId?: number | undefined
}

/**
 * A filter prepared for queries: texts are normalized, and conditions that match everything are
 * removed.
 */
export type LinkCriteria = {
  /** The words to find, those first that are likely to exclude most links. */
  search?: readonly SearchTerms[]
  tagKey?: string
  state?: LinkState
  domainId?: number
  campaignId?: number
  createdFrom?: Date
  createdBefore?: Date
  neverClicked?: true
  archived?: boolean
  beforeId?: number
}

/** One word of a search. */
export type SearchTerms = {
  text: string
  /** The text percent-encoded as in URLs, if it has non-ASCII letters. */
  encoded: string | undefined
  /** The non-ASCII uppercase letters, followed by their lowercase forms in the same order. */
  uppercase: string
  lowercase: string
}

const MAX_LENGTH = 500
const MAX_WORDS = 50

/**
 * Returns the criteria of a filter, or undefined if it matches all links.
 *
 * @throws AppError `invalid_input` naming `q` or `tag`, the names of the parameters in the API and
 * the console
 */
export function readCriteria({
  search,
  tag,
  state,
  domainId,
  campaignId,
  createdFrom,
  createdBefore,
  neverClicked,
  archived,
  beforeId,
}: LinkFilter): LinkCriteria | undefined {
  const criteria = {
    ...(search?.trim() && { search: readWords(requireText('q', search, MAX_LENGTH)) }),
    ...(tag?.trim() && { tagKey: foldCase(requireText('tag', tag, MAX_LENGTH)) }),
    ...(state && { state }),
    ...(domainId !== undefined && { domainId }),
    ...(campaignId !== undefined && { campaignId }),
    ...(createdFrom && { createdFrom }),
    ...(createdBefore && { createdBefore }),
    ...(neverClicked && { neverClicked }),
    ...(archived !== undefined && { archived }),
    ...(beforeId !== undefined && { beforeId }),
  }
  return Object.keys(criteria).length > 0 ? criteria : undefined
}

/**
 * Returns the words of a search, longest first. Omits words that are part of another one, because
 * they are found with it.
 */
function readWords(search: string): SearchTerms[] {
  const words = new Map(
    search
      .split(/\s+/)
      .map(toSearchTerms)
      .map((word) => [word.text, word]),
  )
  const longestFirst = [...words.values()].sort((a, b) => b.text.length - a.text.length)
  const needed = longestFirst.filter(
    ({ text }, index) =>
      !ASCII.test(text) ||
      !longestFirst
        .slice(0, index)
        .some((longer) => longer.encoded === undefined && longer.text.includes(text)),
  )
  if (needed.length > MAX_WORDS) throw invalid('q', 'at_most_words', { max: MAX_WORDS })
  return needed
}

/**
 * Returns the forms of a user's search text that stored texts may contain. In stored search texts,
 * only ASCII letters are converted to lowercase.
 */
export function toSearchTerms(input: string): SearchTerms {
  const decoded = decodeNonAscii(input)
  const text = foldCase(decoded ?? input)
  const pairs = [...new Set(text)].flatMap((letter) =>
    findUppercaseForms(letter).map((capital) => [capital, letter]),
  )
  return {
    text,
    encoded: encodeText(),
    uppercase: pairs.map(([capital]) => capital).join(''),
    lowercase: pairs.map(([, letter]) => letter).join(''),
  }

  function encodeText(): string | undefined {
    if (decoded !== undefined) return input.toLowerCase()
    return ASCII.test(text) ? undefined : encodeURI(text).toLowerCase()
  }
}

const ASCII = /^[\0-\x7f]*$/

/** Decodes a percent-encoded text if it has non-ASCII letters, which aliases may contain. */
function decodeNonAscii(input: string): string | undefined {
  if (!input.includes('%')) return undefined
  try {
    const decoded = decodeURIComponent(input)
    return ASCII.test(decoded) || decoded.includes('\0') ? undefined : decoded
  } catch {
    return undefined
  }
}

function findUppercaseForms(letter: string): string[] {
  // The final sigma is treated like an uppercase form, so both sigmas match.
  const uppercase = letter === 'σ' ? ['Σ', 'ς'] : [letter.toUpperCase()]
  return uppercase.filter(
    (capital) => capital > '\x7f' && capital !== letter && [...capital].length === 1,
  )
}

/** Returns the number of links that match a filter. */
export async function countMatches(
  scope: AccountScope,
  { where, matches, textOrTags }: Filter,
): Promise<number> {
  if (!textOrTags) return count(unscoped(scope), matches ?? listedLinks(scope.accountId, where))
  const { text, tagIds } = textOrTags
  // Looking up the tags of each link takes microseconds, so tagged links are counted separately.
  const tagged = await count(unscoped(scope), taggedLinks(tagIds), sql`distinct link_id`)
  // If every link is tagged, no other links can match.
  if (tagged >= (await countRows(unscoped(scope), 'links', scope.accountId))) return tagged
  const others = sql`${text} and not ${hasTag(tagIds)}`
  return tagged + (await count(unscoped(scope), listedLinks(scope.accountId, others)))
}

async function count(db: Db, matches: Condition, expression = sql`*`): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    select count(${expression})::integer as total from ${matches}`.execute(db)
  return rows[0]?.total ?? 0
}

/** Returns the number of links that match a filter, or `limit` if there are more. */
export async function countUpTo(
  scope: AccountScope,
  { where, matches = listedLinks(scope.accountId, where) }: Filter,
  limit: number,
): Promise<number> {
  return count(unscoped(scope), sql`(select from ${matches} limit ${limit}) found`)
}

function listedLinks(accountId: number, where: Condition): Condition {
  return sql`links where account_id = ${accountId} and kind = 'link' and ${where}`
}

export function taggedLinks(tagIds: readonly number[]): Condition {
  return sql`link_tags where tag_id = any(${[...tagIds]}::bigint[])`
}

/** Returns the condition that a link has one of the tags. */
export function hasTag(tagIds: readonly number[]): Condition {
  return sql`exists (select from ${taggedLinks(tagIds)} and link_id = links.id)`
}
