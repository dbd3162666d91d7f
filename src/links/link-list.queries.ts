import { sql } from 'kysely'
import type { Db } from '../db/pool.ts'
import { runPrepared } from '../db/prepared.ts'
import { countRows } from '../db/row-counts.ts'
import { distantPage } from './distant-page.queries.ts'
import type { LinkEntry } from './link.ts'
import { shortUrlOf } from './short-url.ts'

export type LinkOrder = 'date' | 'click'
export type Page<Entry> = { entries: Entry[]; total: number }

export type PageQuery = { order: LinkOrder; limit: number; offset: number }

/** Index entries that are walked sooner than counters are asked where the page begins. */
const NEAR = 10_000

/**
 * One page of an account's links, newest or most clicked first. Only ids are walked to reach a page,
 * in the index alone: from whichever end is nearer, or from a place in between that counters know.
 * The total comes from a counter too.
 */
export async function listLinks(
  db: Db,
  baseUrl: string,
  accountId: number,
  query: PageQuery,
): Promise<Page<LinkEntry>> {
  const total = await countRows(db, 'links', accountId)
  const ids = await pageOfIds(db, accountId, query, total)
  return { entries: await findEntries(db, baseUrl, accountId, ids), total }
}

/** The ids on a page. One that is `near` either end, in entries, is reached from there. */
export async function pageOfIds(
  db: Db,
  accountId: number,
  { order, limit, offset }: PageQuery,
  total: number,
  near = NEAR,
): Promise<number[]> {
  const size = Math.min(limit, total - offset)
  if (size <= 0) return []
  const after = total - offset - size
  if (Math.min(offset, after) > near) {
    const distant = await distantPage(db, accountId, { order, limit, offset })
    if (distant !== undefined) return distant
  }
  const fromEnd = after < offset
  const skip = fromEnd ? after : offset
  const direction = sql.raw(fromEnd ? 'asc' : 'desc')
  const { rows } = await (order === 'click'
    ? sql<{ id: number }>`
        select link_id as id from click_totals where account_id = ${accountId} and listed
        order by clicks ${direction}, link_id ${direction} limit ${size} offset ${skip}`
    : sql<{ id: number }>`
        select id from links where account_id = ${accountId} and kind = 'link'
        order by id ${direction} limit ${size} offset ${skip}`
  ).execute(db)
  const ids = rows.map(({ id }) => id)
  return fromEnd ? ids.reverse() : ids
}

/** The links with these ids, in that order. Those that are gone by now are passed over. */
async function findEntries(
  db: Db,
  baseUrl: string,
  accountId: number,
  ids: readonly number[],
): Promise<LinkEntry[]> {
  if (ids.length === 0) return []
  const listed = sql<number>`any(${`{${ids.join()}}`}::bigint[])`
  const query = db
    .selectFrom('links')
    .leftJoin('domains', 'domains.id', 'links.domain_id')
    // Named here again, the ids are looked up together and not one by one.
    .leftJoin('click_totals', (join) =>
      join.onRef('click_totals.link_id', '=', 'links.id').on('click_totals.link_id', '=', listed),
    )
    .select([
      'links.id',
      'links.alias',
      'links.url',
      'links.meta_title',
      'links.meta_description',
      'links.created_at',
      'domains.origin',
      'click_totals.clicks',
    ])
    .where('links.account_id', '=', accountId)
    .where('links.kind', '=', 'link')
    .where('links.id', '=', listed)
    .compile()
  const rows = await runPrepared(db, query)
  const found = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => {
    const row = found.get(id)
    if (!row) return []
    return {
      id,
      alias: row.alias,
      shortUrl: shortUrlOf(row.origin ?? baseUrl, row.alias),
      url: row.url,
      meta: { title: row.meta_title, description: row.meta_description },
      createdAt: row.created_at,
      clicks: row.clicks ?? 0,
    }
  })
}
