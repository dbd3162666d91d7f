import type { Db } from '../../db/pool.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import {
  createPartition,
  dropPartition,
  listPartitions,
  lockPartitions,
} from './partitions.queries.ts'

const LOCK_NOT_AVAILABLE = '55P03'

/** Creates missing partitions for the raw clicks of these months. */
export async function createPartitions(db: Db, months: Iterable<number>): Promise<void> {
  await inTransaction(db, (tx) => addPartitions(tx, months))
}

/** Creates missing partitions in the caller's transaction. */
export async function addPartitions(tx: Tx, months: Iterable<number>): Promise<void> {
  const requested = [...months].sort((a, b) => a - b)
  await lockPartitions(tx)
  const present = new Set(await listPartitions(tx))
  for (const month of requested) if (!present.has(month)) await createPartition(tx, month)
}

/**
 * Drops the raw clicks of months before `oldest`, one month at a time. Waits only briefly for
 * writers, and leaves a busy partition to the next call. Returns the numbers of dropped and
 * remaining partitions.
 */
export async function dropPartitions(
  db: Db,
  oldest: number,
): Promise<{ dropped: number; remaining: number }> {
  let dropped = 0
  const old = (await listPartitions(db)).filter((month) => month < oldest)
  for (const month of old) {
    try {
      await inTransaction(db, (tx) => dropPartition(tx, month))
      dropped += 1
    } catch (error) {
      if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw error
    }
  }
  return { dropped, remaining: old.length - dropped }
}
