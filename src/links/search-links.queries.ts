import { type RawBuilder, sql } from 'kysely'
import { fromNearerEnd, type PageQuery } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import type { LinkCriteria, LinkState, SearchTerms } from './link-filter.ts'

export type Search = {
  accountId: number
  criteria: LinkCriteria
  order: 'date' | 'click'
  /** Decides what has expired. */
  now: Date
}

/** Matches that are put in order here; with more of them the database walks to the page. */
const FEW = 5000

/**
 * The ids of the links on a page of those that meet criteria, and how many do. Every link of the
 * account is looked at to count them, by as many processes as the database takes for it; where few
 * match that gives the page, too. Where more than `few` do, a page is soon found by walking the list.
 */
export async function searchLinks(
  db: Db,
  { accountId, criteria, order, now }: Search,
  page: PageQuery,
  few = FEW,
): Promise<{ ids: number[]; total: number }> {
  const meets = await conditionsOf(db, accountId, criteria, now)
  if (!meets) return { ids: [], total: 0 }
  if (meets.tagIdAlone !== undefined && order === 'date') return tagged(db, meets.tagIdAlone, page)
  const { total, some } = await countMatches(db, accountId, meets)
  if (page.offset >= total) return { ids: [], total }
  if (total <= few) {
    const all = some.sort((a, b) => b - a)
    const ordered = order === 'click' ? await mostClickedFirst(db, all) : all
    return { ids: ordered.slice(page.offset, page.offset + page.limit), total }
  }
  return {
    ids:
      order === 'click'
        ? await walkByClicks(db, accountId, meets, page)
        : await walkByDate(db, accountId, meets, page, total),
    total,
  }
}

type Conditions = {
  /** Of `links`, each a condition of its own. */
  all: RawBuilder<unknown>[]
  /** The tag, where nothing else is asked for. */
  tagIdAlone?: number
  /** Or else the links with one of these tags. */
  search?: { found: RawBuilder<unknown>; tagIds: number[] }
}

/** What links must meet; undefined where none can. */
async function conditionsOf(
  db: Db,
  accountId: number,
  { search, tagKey, state }: LinkCriteria,
  now: Date,
): Promise<Conditions | undefined> {
  const all: RawBuilder<unknown>[] = []
  if (tagKey !== undefined) {
    const [tagId] = await findTagIds(db, accountId, sql`key = ${tagKey}`)
    if (tagId === undefined) return undefined
    all.push(hasTag([tagId]))
    if (!search && !state) return { all, tagIdAlone: tagId }
  }
  if (state) all.push(inState(state, now))
  if (!search) return { all }
  const tagIds = await findTagIds(db, accountId, sql`strpos(key, ${search.text}) > 0`)
  return { all, search: { found: hasText(search), tagIds } }
}

/** A page of the links with one tag, newest first, as the index on tags has them. */
async function tagged(
  db: Db,
  tagId: number,
  page: PageQuery,
): Promise<{ ids: number[]; total: number }> {
  const { total } = await db
    .selectFrom('link_tags')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where('tag_id', '=', tagId)
    .executeTakeFirstOrThrow()
  const { size, skip, direction, inOrder } = fromNearerEnd(page, total)
  if (size === 0) return { ids: [], total }
  const rows = await db
    .selectFrom('link_tags')
    .select('link_id')
    .where('tag_id', '=', tagId)
    .orderBy('link_id', direction)
    .limit(size)
    .offset(skip)
    .execute()
  return { ids: inOrder(rows.map(({ link_id }) => link_id)), total }
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

function hasTag(tagIds: readonly number[]): RawBuilder<unknown> {
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

function inState(state: LinkState, now: Date): RawBuilder<unknown> {
  switch (state) {
    case 'active':
      return sql`status = 'active' and (expires_at is null or expires_at > ${now})`
    case 'expired':
      return sql`status = 'active' and expires_at <= ${now}`
    case 'disabled':
      return sql`status = 'disabled'`
  }
}

/** How many links match, and the ids of some of them: of all where they are few. */
async function countMatches(
  db: Db,
  accountId: number,
  { all, search }: Conditions,
): Promise<{ total: number; some: number[] }> {
  // Joined, the links with a tag are read at once; asked of each link, they would be looked up one by one.
  const tagged =
    search && search.tagIds.length > 0
      ? sql`left join (
          select distinct link_id from link_tags where tag_id = any(${search.tagIds}::bigint[])
        ) tagged on tagged.link_id = links.id`
      : sql``
  const found =
    search && search.tagIds.length > 0
      ? sql`(tagged.link_id is not null or ${search.found})`
      : search?.found
  const conditions = [sql`account_id = ${accountId}`, sql`kind = 'link'`, ...all]
  const { rows } = await sql<{ total: number; some: string[] | null }>`
    select count(*)::integer as total, ((array_agg(id))[1:${sql.lit(FEW)}])::text[] as some
    from links ${tagged}
    where ${sql.join(found ? [...conditions, found] : conditions, sql` and `)}`.execute(db)
  return { total: rows[0]?.total ?? 0, some: (rows[0]?.some ?? []).map(Number) }
}

/** Ids that are in order by date, put into that by clicks. */
async function mostClickedFirst(db: Db, ids: readonly number[]): Promise<number[]> {
  const { rows } = await sql<{ id: number; clicks: number }>`
    select link_id as id, clicks from link_order where link_id = any(${[...ids]}::bigint[])`.execute(
    db,
  )
  const clicks = new Map(rows.map((row) => [row.id, row.clicks]))
  return ids.toSorted((a, b) => (clicks.get(b) ?? 0) - (clicks.get(a) ?? 0))
}

async function walkByDate(
  db: Db,
  accountId: number,
  conditions: Conditions,
  page: PageQuery,
  total: number,
): Promise<number[]> {
  const { size, skip, direction, inOrder } = fromNearerEnd(page, total)
  const order = sql.raw(direction)
  // Account and id as one row: see `readIds`.
  const { rows } = await sql<{ id: number }>`
    select id from links
    where (account_id, id) >= (${accountId}, 0)
      and (account_id, id) < (${accountId}, ${Number.MAX_SAFE_INTEGER})
      and kind = 'link' and ${meetsAll(conditions)}
    order by account_id ${order}, id ${order} limit ${size} offset ${skip}`.execute(db)
  return inOrder(rows.map(({ id }) => id))
}

/** The first pages walk the order by clicks; what lies beyond the clicked ones sorts all matches. */
async function walkByClicks(
  db: Db,
  accountId: number,
  conditions: Conditions,
  { limit, offset }: PageQuery,
): Promise<number[]> {
  const { rows: clicked } = await sql<{ id: number }>`
    select links.id from link_order join links on links.id = link_order.link_id
    where link_order.account_id = ${accountId} and ${meetsAll(conditions)}
    order by link_order.clicks desc, link_order.link_id desc
    limit ${limit} offset ${offset}`.execute(db)
  if (clicked.length === limit) return clicked.map(({ id }) => id)
  const { rows } = await sql<{ id: number }>`
    select links.id from links left join link_order on link_order.link_id = links.id
    where links.account_id = ${accountId} and kind = 'link' and ${meetsAll(conditions)}
    order by link_order.clicks desc nulls last, links.id desc
    limit ${limit} offset ${offset}`.execute(db)
  return rows.map(({ id }) => id)
}

/** The same conditions as one of a single link, for walks that end soon. */
function meetsAll({ all, search }: Conditions): RawBuilder<unknown> {
  const found =
    search && search.tagIds.length > 0
      ? sql`(${search.found} or ${hasTag(search.tagIds)})`
      : search?.found
  return sql.join(found ? [...all, found] : all, sql` and `)
}
