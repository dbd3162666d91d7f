import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/pool.ts'
import { countRows } from '../db/row-counts.queries.ts'

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

/** Returns the number of links that match a filter. */
export async function countMatches(
  db: Db,
  accountId: number,
  { where, matches, textOrTags }: Filter,
): Promise<number> {
  if (!textOrTags) return count(db, matches ?? listedLinks(accountId, where))
  const { text, tagIds } = textOrTags
  // Looking up the tags of each link takes microseconds, so tagged links are counted separately.
  const tagged = await count(db, taggedLinks(tagIds), sql`distinct link_id`)
  // If every link is tagged, no other links can match.
  if (tagged >= (await countRows(db, 'links', accountId))) return tagged
  const others = sql`${text} and not ${hasTag(tagIds)}`
  return tagged + (await count(db, listedLinks(accountId, others)))
}

async function count(db: Db, matches: Condition, expression = sql`*`): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    select count(${expression})::integer as total from ${matches}`.execute(db)
  return rows[0]?.total ?? 0
}

/** Returns the number of links that match a filter, or `limit` if there are more. */
export async function countUpTo(
  db: Db,
  accountId: number,
  { where, matches = listedLinks(accountId, where) }: Filter,
  limit: number,
): Promise<number> {
  return count(db, sql`(select from ${matches} limit ${limit}) found`)
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
