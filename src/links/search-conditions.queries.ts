import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/pool.ts'
import type { LinkCriteria, LinkState, SearchTerms } from './link-filter.ts'

/** What links must meet, in words of the database. */
export type Conditions = {
  accountId: number
  /** Of `links`, each a condition of its own. */
  all: RawBuilder<unknown>[]
  /** A tag or a state, where nothing else is asked for. */
  tagIdAlone?: number
  stateAlone?: { state: LinkState; now: Date }
  /** Or else the links with one of these tags. */
  search?: { found: RawBuilder<unknown>; tagIds: number[] }
}

/** What links must meet; undefined where none can. */
export async function conditionsOf(
  db: Db,
  accountId: number,
  { search, tagKey, state, domainId }: LinkCriteria,
  now: Date,
): Promise<Conditions | undefined> {
  const all: RawBuilder<unknown>[] = []
  if (domainId !== undefined) all.push(sql`domain_id = ${domainId}`)
  const isOnly = !search && domainId === undefined
  if (tagKey !== undefined) {
    const [tagId] = await findTagIds(db, accountId, sql`key = ${tagKey}`)
    if (tagId === undefined) return undefined
    all.push(hasTag([tagId]))
    if (isOnly && !state) return { accountId, all, tagIdAlone: tagId }
  }
  if (state) {
    all.push(inState(state, now))
    if (isOnly && tagKey === undefined) return { accountId, all, stateAlone: { state, now } }
  }
  if (!search) return { accountId, all }
  const tagIds = await findTagIds(db, accountId, sql`strpos(key, ${search.text}) > 0`)
  return { accountId, all, search: { found: hasText(search), tagIds } }
}

async function findTagIds(
  db: Db,
  accountId: number,
  condition: RawBuilder<unknown>,
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from tags where account_id = ${accountId} and ${condition}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Of `links`: that one of these tags is theirs. */
export function hasTag(tagIds: readonly number[]): RawBuilder<unknown> {
  return sql`exists (
    select from link_tags where link_id = links.id and tag_id = any(${[...tagIds]}::bigint[]))`
}

function hasText({ text, encoded, capitals, small }: SearchTerms): RawBuilder<unknown> {
  if (encoded === undefined) return sql`strpos(search_text, ${text}) > 0`
  // Changing letters takes ten times as long as looking for some, and few texts have such letters.
  return sql`(strpos(search_text, ${encoded}) > 0
    or octet_length(search_text) > length(search_text)
      and strpos(translate(search_text, ${capitals}, ${small}), ${text}) > 0)`
}

/** As the indexes of links by their state have it. */
export function inState(state: LinkState, now: Date): RawBuilder<unknown> {
  switch (state) {
    case 'active':
      return sql`status = 'active' and (expires_at is null or expires_at > ${now})`
    case 'expired':
      return sql`status = 'active' and expires_at is not null and expires_at <= ${now}`
    case 'disabled':
      return sql`status = 'disabled'`
  }
}

/** All conditions as one of a single link. */
export function meetsAll({ all, search }: Conditions): RawBuilder<unknown> {
  const found =
    search && search.tagIds.length > 0
      ? sql`(${search.found} or ${hasTag(search.tagIds)})`
      : search?.found
  return sql.join(found ? [...all, found] : all, sql` and `)
}

/**
 * The account's links among which texts are looked for, in two parts: an index alone has all that is
 * asked of the first, where few links are missing from it.
 */
export const PARTS = [
  sql`kind = 'link' and octet_length(search_text) <= 2000`,
  sql`kind = 'link' and octet_length(search_text) > 2000`,
] as const
