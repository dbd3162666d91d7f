import { type Selectable, sql } from 'kysely'
import type { Db } from '../db/pool.ts'
import { runPrepared } from '../db/prepared.ts'
import { countRows } from '../db/row-counts.ts'
import type { LinkTable } from '../db/schema.ts'
import { distantPage } from './deep-page.queries.ts'
import type { LinkEntry } from './link.ts'
import { shortUrlOf } from './short-url.ts'

export type LinkOrder = 'date' | 'click'
export type Page<Entry> = { entries: Entry[]; total: number }

export type PageQuery = { order: LinkOrder; limit: number; offset: number }
/** A link on a page, with its clicks where the page is found by them. */
export type Listed = { id: number; clicks?: number }

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
  const listed = await findPage(db, accountId, query, total)
  return { entries: await findEntries(db, baseUrl, accountId, listed), total }
}

/** The links on a page. One that is `near` either end, in entries, is reached from there. */
export async function findPage(
  db: Db,
  accountId: number,
  { order, limit, offset }: PageQuery,
  total: number,
  near = NEAR,
): Promise<Listed[]> {
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
    ? sql<Listed>`
        select link_id as id, clicks from click_totals where account_id = ${accountId} and listed
        order by clicks ${direction}, link_id ${direction} limit ${size} offset ${skip}`
    : sql<Listed>`
        select id from links where account_id = ${accountId} and kind = 'link'
        order by id ${direction} limit ${size} offset ${skip}`
  ).execute(db)
  return fromEnd ? rows.reverse() : rows
}

type EntryRow = Pick<
  Selectable<LinkTable>,
  'id' | 'alias' | 'url' | 'meta_title' | 'meta_description' | 'created_at'
> & { origin: string | null; clicks?: number | null }

/** What a page shows of its links, in that order. Those that are gone by now are passed over. */
async function findEntries(
  db: Db,
  baseUrl: string,
  accountId: number,
  page: readonly Listed[],
): Promise<LinkEntry[]> {
  if (page.length === 0) return []
  const ids = sql<number>`any(${`{${page.map(({ id }) => id).join()}}`}::bigint[])`
  const links = db
    .selectFrom('links')
    .leftJoin('domains', 'domains.id', 'links.domain_id')
    .select([
      'links.id',
      'links.alias',
      'links.url',
      'links.meta_title',
      'links.meta_description',
      'links.created_at',
      'domains.origin',
    ])
    .where('links.account_id', '=', accountId)
    .where('links.kind', '=', 'link')
    .where('links.id', '=', ids)
  // Named here again, the ids are looked up together and not one by one.
  const counted = links
    .leftJoin('click_totals', (join) =>
      join.onRef('click_totals.link_id', '=', 'links.id').on('click_totals.link_id', '=', ids),
    )
    .select('click_totals.clicks')
  const isCounted = page[0]?.clicks !== undefined
  const rows: EntryRow[] = await runPrepared(db, (isCounted ? links : counted).compile())
  const found = new Map(rows.map((row) => [row.id, row]))
  return page.flatMap(({ id, clicks }) => {
    const row = found.get(id)
    if (!row) return []
    return {
      id,
      alias: row.alias,
      shortUrl: shortUrlOf(row.origin ?? baseUrl, row.alias),
      url: row.url,
      meta: { title: row.meta_title, description: row.meta_description },
      createdAt: row.created_at,
      clicks: clicks ?? row.clicks ?? 0,
    }
  })
}
