import { sql } from 'kysely'
import { fromNearerEnd, type PageQuery } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import { type Conditions, meetsAll, PARTS } from './search-conditions.queries.ts'

/** The ids on a page of `total` links that meet conditions, newest first. */
export async function walkByDate(
  db: Db,
  conditions: Conditions,
  page: PageQuery,
  total: number,
): Promise<number[]> {
  const { accountId, search } = conditions
  const { size, skip, direction, inOrder } = fromNearerEnd(page, total)
  const order = sql.raw(direction)
  // Account and id as one row: see `readIds`. Each part gives no more than can be on the page or before
  // it; the database would sort all of both.
  const parts = (search ? PARTS : [sql`kind = 'link'`]).map(
    (part) => sql`(
      select account_id, id from links
      where (account_id, id) >= (${accountId}, 0)
        and (account_id, id) < (${accountId}, ${Number.MAX_SAFE_INTEGER})
        and ${part} and ${meetsAll(conditions)}
      order by account_id ${order}, id ${order} limit ${skip + size})`,
  )
  const { rows } = await sql<{ id: number }>`
    select id from (${sql.join(parts, sql` union all `)}) found
    order by account_id ${order}, id ${order} limit ${size} offset ${skip}`.execute(db)
  return inOrder(rows.map(({ id }) => id))
}

/** The first pages walk the order by clicks; what lies beyond the clicked ones sorts all matches. */
export async function walkByClicks(
  db: Db,
  conditions: Conditions,
  { limit, offset }: PageQuery,
): Promise<number[]> {
  const { accountId } = conditions
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

/** A page of the links with one tag, newest first, as the index on tags has them. */
export async function walkTag(
  db: Db,
  tagId: number,
  page: PageQuery,
  total: number,
): Promise<number[]> {
  const { size, skip, direction, inOrder } = fromNearerEnd(page, total)
  if (size === 0) return []
  const rows = await db
    .selectFrom('link_tags')
    .select('link_id')
    .where('tag_id', '=', tagId)
    .orderBy('link_id', direction)
    .limit(size)
    .offset(skip)
    .execute()
  return inOrder(rows.map(({ link_id }) => link_id))
}

/** Ids that are in order by date, put into that by clicks. */
export async function mostClickedFirst(db: Db, ids: readonly number[]): Promise<number[]> {
  const { rows } = await sql<{ id: number; clicks: number }>`
    select link_id as id, clicks from link_order where link_id = any(${[...ids]}::bigint[])`.execute(
    db,
  )
  const clicks = new Map(rows.map((row) => [row.id, row.clicks]))
  return ids.toSorted((a, b) => (clicks.get(b) ?? 0) - (clicks.get(a) ?? 0))
}
