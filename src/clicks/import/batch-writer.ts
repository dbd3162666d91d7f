import { setImmediate as turn } from 'node:timers/promises'
import type { Clock } from '../../clock.ts'
import type { Db } from '../../db/pool.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import { monthOf, oldestMonth, startOfMonth } from '../storage/months.ts'
import { createPartitions } from '../storage/partitions.ts'
import type { Batch } from './batch.ts'
import { addBatch, DeletedLinksError } from './import.queries.ts'
import { createKnownLinks } from './known-links.ts'
import { createLabelIds } from './label-ids.ts'
import { type Move, movePositions } from './positions.queries.ts'
import { type PreparedBatch, prepareBatch, withoutLinks } from './prepare.ts'
import type { Rollup } from './rollup.ts'

/** Processes the clicks of a batch, in the transaction that stores them. */
export type OnClicks = (
  tx: Tx,
  rollup: Pick<Rollup, 'totals' | 'grouped'>,
  accountOf: ReadonlyMap<number, number>,
) => Promise<void>

export type BatchWriterOptions = {
  clock: Clock
  retentionDays: number
  onClicks?: OnClicks | undefined
  /** Checks that a connection leads to the database to which the clicks belong. */
  authorize?: ((db: Db) => Promise<void>) | undefined
  /** Called at named points, so that tests can end the process there. */
  onTestPoint?: ((point: string) => void) | undefined
}

/** Writes batches of clicks. Caches which links, labels and partitions exist. */
export function createBatchWriter(
  db: Db,
  { clock, retentionDays, onClicks, authorize, onTestPoint = () => {} }: BatchWriterOptions,
) {
  const labels = createLabelIds(db)
  const links = createKnownLinks(db)
  const partitions = createKnownPartitions(db)

  /**
   * Adds a batch to every table and advances the positions of a journal, in one transaction on
   * `connection`. Repeats the transaction without the links that have been deleted in the meantime.
   *
   * @throws PositionMovedError if the stored positions differ from the start of `moves`
   */
  async function commit(
    connection: Db,
    journal: string,
    { prepared, moves }: { prepared: PreparedBatch; moves: readonly Move[] },
  ): Promise<void> {
    const oldest = oldestMonth(clock(), retentionDays)
    await partitions.prepare(prepared.batch.columns.at, oldest)
    const keepFrom = startOfMonth(oldest)
    const write = async (next: PreparedBatch) => {
      await inTransaction(connection, async (tx) => {
        await authorize?.(tx)
        await movePositions(tx, journal, moves)
        await addBatch(tx, next, keepFrom)
        await onClicks?.(tx, next.rollup, next.accountOf)
        onTestPoint('before commit')
      })
      onTestPoint('after commit')
    }
    for (let next: PreparedBatch | undefined = prepared; next; ) {
      next = await writeUnlessDeleted(next, write)
    }
  }

  /**
   * Writes a batch. If some of its links have been deleted, returns the batch without them, which
   * must be written instead.
   */
  async function writeUnlessDeleted(
    prepared: PreparedBatch,
    write: (prepared: PreparedBatch) => Promise<void>,
  ): Promise<PreparedBatch | undefined> {
    try {
      await write(prepared)
      return undefined
    } catch (error) {
      if (!(error instanceof DeletedLinksError)) throw error
      links.invalidate(error.links)
      return withoutLinks(prepared, error.links, turn)
    }
  }

  return {
    prepare: (batch: Batch) => prepareBatch(db, { links, labels }, batch, turn),
    commit,
    /** Clears all caches after a failure. */
    invalidate(): void {
      labels.invalidate()
      links.invalidate()
      partitions.invalidate()
    },
  }
}

/**
 * Caches which months of raw clicks have a partition, so that a batch only creates missing ones.
 */
function createKnownPartitions(db: Db) {
  const existingMonths = new Set<number>()

  /**
   * Creates the partitions for clicks at these times (in milliseconds), except for months before
   * `oldest`.
   */
  async function prepare(times: Float64Array, oldest: number): Promise<void> {
    const missing = new Set<number>()
    let from = 0
    let to = 0
    for (const at of times) {
      if (at >= from && at < to) continue
      const month = monthOf(at)
      from = startOfMonth(month)
      to = startOfMonth(month + 1)
      if (month >= oldest && !existingMonths.has(month)) missing.add(month)
    }
    if (missing.size === 0) return
    await createPartitions(db, missing)
    for (const month of missing) existingMonths.add(month)
  }

  return { prepare, invalidate: () => existingMonths.clear() }
}
