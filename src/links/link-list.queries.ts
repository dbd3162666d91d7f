import { sql } from 'kysely'
import type { Db } from '../db/pool.ts'
import { countRows } from '../db/row-counts.ts'
import { findLinks } from './link.queries.ts'
import type { Link } from './link.ts'

export type LinkOrder = 'date' | 'click'
export type Page<Entry> = { entries: Entry[]; total: number }

type PageQuery = { order: LinkOrder; limit: number; offset: number }

/**
 * One page of an account's links, newest or most clicked first. Only ids are walked to reach a deep
 * page, in the index alone and from whichever end is nearer; the total comes from a counter.
 */
export async function listLinks(
  db: Db,
  baseUrl: string,
  accountId: number,
  { order, limit, offset }: PageQuery,
): Promise<Page<Link>> {
  const total = await countRows(db, 'links', accountId)
  const ids = await pageOfIds(db, accountId, order, { limit, offset, total })
  return { entries: await findLinks(db, baseUrl, accountId, ids), total }
}

async function pageOfIds(
  db: Db,
  accountId: number,
  order: LinkOrder,
  { limit, offset, total }: { limit: number; offset: number; total: number },
): Promise<number[]> {
  const size = Math.min(limit, total - offset)
  if (size <= 0) return []
  const fromEnd = offset > total / 2
  const skip = fromEnd ? total - offset - size : offset
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
