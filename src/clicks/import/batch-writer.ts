import { setImmediate as turn } from 'node:timers/promises'
import type { Clock } from '../../clock.ts'
import type { Db } from '../../db/pool.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import { oldestMonth, startOfMonth } from '../storage/months.ts'
import type { Batch } from './batch.ts'
import { addBatch, DeletedLinksError } from './import.queries.ts'
import { createKnownLinks } from './known-links.ts'
import { createKnownPartitions } from './known-partitions.ts'
import { createLabelIds } from './label-ids.ts'
import { type Move, movePositions } from './positions.queries.ts'
import { type PreparedBatch, prepareBatch, withoutLinks } from './prepare.ts'
import type { Rollup } from './rollup.ts'

export type NoteClicks = (
  tx: Tx,
  rollup: Pick<Rollup, 'totals' | 'grouped'>,
  accountOf: ReadonlyMap<number, number>,
) => Promise<void>

export type BatchWriterOptions = {
  clock: Clock
  retentionDays: number
  /** Receives the clicks of each batch in its transaction. */
  note?: NoteClicks | undefined
  /** Called at named points, so that tests can end the process there. */
  fault?: ((point: string) => void) | undefined
}

/** Writes batches of clicks. Caches which links, labels and partitions exist. */
export function createBatchWriter(
  db: Db,
  { clock, retentionDays, note, fault = () => {} }: BatchWriterOptions,
) {
  const labels = createLabelIds(db)
  const links = createKnownLinks(db)
  const partitions = createKnownPartitions(db)

  /**
   * Adds a batch to every table and advances the positions of a journal, in one transaction on
   * `own`.
   *
   * @throws PositionMovedError
   */
  async function commit(
    own: Db,
    journal: string,
    { prepared, moves }: { prepared: PreparedBatch; moves: readonly Move[] },
  ): Promise<void> {
    const oldest = oldestMonth(clock(), retentionDays)
    await partitions.prepare(prepared.batch.columns.at, oldest)
    const keepFrom = startOfMonth(oldest)
    const write = async (next: PreparedBatch) => {
      await inTransaction(own, async (tx) => {
        await movePositions(tx, journal, moves)
        await addBatch(tx, next, keepFrom)
        await note?.(tx, next.rollup, next.accountOf)
        fault('before commit')
      })
      fault('after commit')
    }
    for (let next: PreparedBatch | undefined = prepared; next; ) {
      next = await withoutDeleted(next, write)
    }
  }

  /** Returns the batch without links that have been deleted, to try it again. */
  async function withoutDeleted(
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
