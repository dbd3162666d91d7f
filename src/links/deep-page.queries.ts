import { sql } from 'kysely'
import type { Db } from '../db/pool.ts'
import { BLOCK_SIZE, WHOLE } from '../db/row-counts.ts'
import { inTransaction, SNAPSHOT } from '../db/transaction.ts'

/** A block of ids and the places of its links in the list: from `first` to before `last`. */
type Segment = { block: number; first: number; last: number }

/** How far to walk, and from the border of which block. */
type Walk = { block: number; skip: number; size: number }

/**
 * The ids of the links on a page by date that is far from either end of an account's list. Counters
 * tell which blocks it begins and ends in; from the nearer border of these the index is walked.
 * Counters and index are read at one moment, so that they agree.
 */
export function distantPage(
  db: Db,
  accountId: number,
  { limit, offset }: { limit: number; offset: number },
): Promise<number[]> {
  return inTransaction(
    db,
    async (snapshot) => {
      const segments = await segmentsOf(snapshot, accountId, { limit, offset })
      const [head] = segments
      const tail = segments.at(-1)
      if (!head || !tail) return []
      const end = Math.min(offset + limit, tail.last)
      const size = end - offset
      const [down, up] = [offset - head.first, tail.last - end]
      return down <= up
        ? walk(snapshot, accountId, { block: head.block, skip: down, size }, 'desc')
        : (await walk(snapshot, accountId, { block: tail.block, skip: up, size }, 'asc')).reverse()
    },
    SNAPSHOT,
  )
}

/** The blocks that have links on the page, in the order of the list. */
async function segmentsOf(
  db: Db,
  accountId: number,
  { limit, offset }: { limit: number; offset: number },
): Promise<Segment[]> {
  const { rows } = await sql<Segment>`
    with counted as (
      select block, sum(rows) as links from row_counts
      where kind = 'links' and owner_id = ${accountId} and block <> ${WHOLE}
      group by block having sum(rows) > 0
    ), placed as (
      select block, links, sum(links) over (order by block desc) as last from counted
    )
    select block, (last - links)::bigint as first, last::bigint from placed
    where last > ${offset} and last - links < ${offset + limit}
    order by last`.execute(db)
  return rows
}

async function walk(
  db: Db,
  accountId: number,
  { block, skip, size }: Walk,
  direction: 'asc' | 'desc',
): Promise<number[]> {
  const begin =
    direction === 'desc' ? sql`id < ${(block + 1) * BLOCK_SIZE}` : sql`id >= ${block * BLOCK_SIZE}`
  const { rows } = await sql<{ id: number }>`
    select id from links where account_id = ${accountId} and kind = 'link' and ${begin}
    order by id ${sql.raw(direction)} limit ${size} offset ${skip}`.execute(db)
  return rows.map(({ id }) => id)
}
