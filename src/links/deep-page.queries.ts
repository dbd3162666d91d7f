import { sql } from 'kysely'
import { rankBounds } from '../clicks/maintenance/click-ranks.ts'
import type { Db } from '../db/pool.ts'
import { BLOCK_SIZE, WHOLE } from '../db/row-counts.ts'
import { inSnapshot } from '../db/transaction.ts'
import type { Listed, PageQuery } from './link-list.queries.ts'

/** Links that lie together in the order of a list, and their places: from `first` to before `last`. */
type Segment = { bucket: number; block: number; first: number; last: number }

/** How far to walk, and from the border of which segment. */
type Walk = { segment: Segment; skip: number; size: number }

/**
 * The links on a page far from either end of an account's list; undefined if that account's links are
 * not counted by what they are ordered by. Counters tell which segment of the order it begins and ends
 * in; from the nearer border of these the index is walked. Counters and index are read at one moment,
 * so that they agree.
 */
export function distantPage(
  db: Db,
  accountId: number,
  { order, limit, offset }: PageQuery,
): Promise<Listed[] | undefined> {
  return inSnapshot(db, async (snapshot) => {
    const segments = await segmentsOf(snapshot, accountId, { order, limit, offset })
    const [head] = segments
    const tail = segments.at(-1)
    if (!head || !tail) return undefined
    const end = Math.min(offset + limit, tail.last)
    const size = end - offset
    const [down, up] = [offset - head.first, tail.last - end]
    const walk = order === 'click' ? walkByClicks : walkByDate
    return down <= up
      ? walk(snapshot, accountId, { segment: head, skip: down, size }, 'desc')
      : (await walk(snapshot, accountId, { segment: tail, skip: up, size }, 'asc')).reverse()
  })
}

/** The segments that have links on the page, in the order of the list. */
async function segmentsOf(
  db: Db,
  accountId: number,
  { order, limit, offset }: PageQuery,
): Promise<Segment[]> {
  const byClicks = sql`
    select bucket, block, links from link_ranks where account_id = ${accountId} union all`
  const ranked = sql`and exists (select from ranked_accounts where account_id = ${accountId})`
  const { rows } = await sql<Segment>`
    with counted as (
      select bucket, block, sum(links) as links from (
        ${order === 'click' ? byClicks : sql``}
        select 0, block, rows from row_counts
        where kind = 'links' and owner_id = ${accountId} and block <> ${WHOLE}
        ${order === 'click' ? ranked : sql``}
      ) c (bucket, block, links)
      group by bucket, block having sum(links) > 0
    ), placed as (
      select bucket, block, links, sum(links) over (order by bucket desc, block desc) as last
      from counted
    )
    select bucket, block, (last - links)::bigint as first, last::bigint from placed
    where last > ${offset} and last - links < ${offset + limit}
    order by last`.execute(db)
  return rows
}

async function walkByDate(
  db: Db,
  accountId: number,
  { segment: { block }, skip, size }: Walk,
  direction: 'asc' | 'desc',
): Promise<Listed[]> {
  const begin =
    direction === 'desc' ? sql`id < ${(block + 1) * BLOCK_SIZE}` : sql`id >= ${block * BLOCK_SIZE}`
  const { rows } = await sql<Listed>`
    select id from links where account_id = ${accountId} and kind = 'link' and ${begin}
    order by id ${sql.raw(direction)} limit ${size} offset ${skip}`.execute(db)
  return rows
}

async function walkByClicks(
  db: Db,
  accountId: number,
  { segment: { bucket, block }, skip, size }: Walk,
  direction: 'asc' | 'desc',
): Promise<Listed[]> {
  const { from, to } = rankBounds(bucket, block)
  const begin =
    direction === 'desc'
      ? sql`(clicks, link_id) < (${to.clicks}, ${to.id})`
      : sql`(clicks, link_id) >= (${from.clicks}, ${from.id})`
  const order = sql.raw(`clicks ${direction}, link_id ${direction}`)
  const { rows } = await sql<Listed>`
    select link_id as id, clicks from click_totals
    where account_id = ${accountId} and listed and ${begin}
    order by ${order} limit ${size} offset ${skip}`.execute(db)
  return rows
}
