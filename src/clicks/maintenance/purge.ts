import type pg from 'pg'
import { inOwnTransaction } from '../import/own-transaction.ts'
import { listPartitions, nameOf } from './partitions.ts'

const CHUNK = 20_000

/** Deletes what `removeClicks` has left over, in small transactions; stops early when asked to. */
export async function purgeRemoved(pool: pg.Pool, signal: AbortSignal): Promise<void> {
  const { rows } = await pool.query<{ link_id: number }>('select link_id from removed_links')
  for (const { link_id } of rows) {
    const months = await listPartitions(pool)
    for (const table of ['click_visitors', ...months.map(nameOf)]) {
      while ((await deleteChunk(pool, table, link_id)) > 0) if (signal.aborted) return
    }
    await pool.query('delete from removed_links where link_id = $1', [link_id])
  }
}

/**
 * By place in the table, as raw clicks have no key; a partition at a time, where places are unique.
 * The link is named twice, because in a table that is spread over machines each part has these places.
 */
async function deleteChunk(pool: pg.Pool, table: string, linkId: number): Promise<number> {
  return inOwnTransaction(pool, async (client) => {
    const { rowCount } = await client.query(
      `delete from ${table} where link_id = $1 and ctid = any(array(
         select ctid from ${table} where link_id = $1 limit ${CHUNK} for update skip locked))`,
      [linkId],
    )
    return rowCount ?? 0
  })
}
