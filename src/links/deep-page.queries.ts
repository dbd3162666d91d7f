import { sql } from 'kysely'
import type { PageQuery } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import { BLOCK_SIZE, WHOLE } from '../db/row-counts.queries.ts'
import { inTransaction, SNAPSHOT } from '../db/transaction.ts'
import { readIds, type Which } from './link-ids.queries.ts'

/** A block of ids and the positions of its links in the list: from `first` to before `last`. */
type Segment = { block: number; first: number; last: number }

/** Index entries that are walked sooner than counters are asked where a page begins. */
export const NEAR = 10_000

/**
 * The ids of the links on a page that is far from either end of a list in descending order of ids.
 * Counters tell which blocks it begins and ends in; from the nearer border of these the index is
 * walked. Counters and index are read at one moment, so that they agree.
 */
export function deepPage(
  db: Db,
  accountId: number,
  { limit, offset }: PageQuery,
  which: Which = 'all',
): Promise<number[]> {
  const find = async (snapshot: Db) => {
    const segments = await segmentsOf(snapshot, accountId, { limit, offset }, which)
    const [head] = segments
    const tail = segments.at(-1)
    if (!head || !tail) return []
    const end = Math.min(offset + limit, tail.last)
    const size = end - offset
    const [down, up] = [offset - head.first, tail.last - end]
    const blocks = { which, from: tail.block * BLOCK_SIZE, to: (head.block + 1) * BLOCK_SIZE, size }
    return down <= up
      ? readIds(snapshot, accountId, { ...blocks, skip: down, direction: 'desc' })
      : (await readIds(snapshot, accountId, { ...blocks, skip: up, direction: 'asc' })).reverse()
  }
  return inTransaction(db, find, SNAPSHOT)
}

/** The blocks that have links on the page, in the order of the list. */
async function segmentsOf(
  db: Db,
  accountId: number,
  { limit, offset }: PageQuery,
  which: Which,
): Promise<Segment[]> {
  const kinds = which === 'all' ? ['links'] : ['links', 'link_order']
  const { rows } = await sql<Segment>`
    with counted as (
      select block, sum(case kind when 'links' then rows else -rows end) as links from row_counts
      where kind = any(${kinds}::text[]) and owner_id = ${accountId} and block <> ${WHOLE}
      group by block having sum(case kind when 'links' then rows else -rows end) > 0
    ), summed as (
      select block, links, sum(links) over (order by block desc) as last from counted
    )
    select block, (last - links)::bigint as first, last::bigint from summed
    where last > ${offset} and last - links < ${offset + limit}
    order by last`.execute(db)
  return rows
}
