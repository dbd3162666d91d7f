import type { Db } from '../../db/pool.ts'
import { nameOf } from './months.ts'
import { listPartitions } from './partitions.queries.ts'
import { deleteChunk, deleteRemoved, listRemoved } from './purge.queries.ts'

/** Deletes what `removeClicks` has left over, in small transactions; stops early when asked to. */
export async function purgeRemoved(db: Db, signal: AbortSignal): Promise<void> {
  for (const linkId of await listRemoved(db)) {
    const months = await listPartitions(db)
    for (const table of ['click_visitors', ...months.map(nameOf)]) {
      while ((await deleteChunk(db, table, linkId)) > 0) if (signal.aborted) return
    }
    await deleteRemoved(db, linkId)
  }
}
