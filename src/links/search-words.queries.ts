import { sql } from 'kysely'
import { idArray } from '../db/id-array.ts'
import type { Db } from '../db/pool.ts'
import { textArray } from '../db/text-array.ts'
import type { SearchTerms } from './link-filter.ts'
import { type Condition, hasTag } from './match-counts.queries.ts'

type FoundWord = {
  /** The condition on the texts of links, and the ids of matching tags. */
  text: Condition
  tagIds: readonly number[]
  /** The condition that either of them matches. */
  isFound: Condition
  /** Whether more than `maxMatches` links have a matching tag. */
  isCommonTag: boolean
}

/** Returns the condition of each word. */
export async function findWords(
  db: Db,
  accountId: number,
  search: readonly SearchTerms[],
  maxMatches: number,
): Promise<FoundWord[]> {
  const tags = await findTagsByWord(
    db,
    accountId,
    search.map(({ text }) => text),
  )
  const words: FoundWord[] = []
  for (const [index, terms] of search.entries()) {
    const text = hasText(terms)
    const tagIds = tags[index] ?? []
    const tagged = tagIds.length > 0 ? await findTagged(db, tagIds, maxMatches) : []
    const isTagged = tagged ? sql`links.id = any(${idArray(tagged)}::bigint[])` : hasTag(tagIds)
    const isFound = tagged?.length === 0 ? text : sql`(${text} or ${isTagged})`
    words.push({ text, tagIds, isFound, isCommonTag: tagged === undefined })
  }
  return words
}

/** Returns the ids of the tags that contain each word, in the order of the words. */
async function findTagsByWord(
  db: Db,
  accountId: number,
  words: readonly string[],
): Promise<number[][]> {
  const { rows } = await sql<{ id: number; word: number }>`
    select tags.id, word.number::integer as word
    from tags join unnest(${textArray(words)}::text[]) with ordinality word (text, number)
      on strpos(key, word.text) > 0
    where account_id = ${accountId}`.execute(db)
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
  // Translating letters takes ten times as long as searching, and few texts have non-ASCII letters.
  return sql`(strpos(search_text, ${encoded}) > 0
    or octet_length(search_text) > length(search_text)
      and strpos(translate(search_text, ${uppercase}, ${lowercase}), ${text}) > 0)`
}
