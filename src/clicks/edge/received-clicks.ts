import type { Database } from '../../db/pool.ts'
import { createBatch } from '../import/batch.ts'
import { type BatchWriterOptions, createBatchWriter } from '../import/batch-writer.ts'
import { createBusyVisitors } from '../import/busy-visitors.ts'
import { loadPositions, PositionMovedError } from '../import/positions.queries.ts'
import { fromWire, type HandOver } from './wire.ts'

export type ReceivedClicks = ReturnType<typeof createReceivedClicks>

/** Counts the clicks that edges send. */
export function createReceivedClicks({
  db: database,
  clock,
  ...options
}: BatchWriterOptions & { db: Pick<Database, 'db'> }) {
  const { db } = database
  const writer = createBatchWriter(db, { clock, ...options })
  const busy = createBusyVisitors()
  let lastBatch: Promise<unknown> = Promise.resolve()

  /** Runs one batch at a time, because requests have priority over counting. */
  function runInTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = lastBatch.then(work)
    lastBatch = result.catch(() => {})
    return result
  }

  async function count({ journal, moves, kinds, clicks }: HandOver): Promise<boolean> {
    const batch = createBatch()
    const now = clock().getTime()
    for (const click of clicks) {
      const { linkId, at: sentAt, description } = fromWire(click, kinds)
      // The clock of an edge may be ahead, and no click can be in the future.
      const at = Math.min(sentAt, now)
      batch.add(linkId, at, busy.mark(description, at))
    }
    try {
      await writer.commit(db, toJournalName(journal), {
        prepared: await writer.prepare(batch),
        // An edge has one position per writer, while a local journal has one per file.
        moves: moves.map(({ writer: file, from, to }) => ({ file, from, to })),
      })
      return true
    } catch (error) {
      writer.invalidate()
      // The edge sends the clicks again.
      busy.clear()
      if (error instanceof PositionMovedError) return false
      throw error
    }
  }

  return {
    /** Returns the positions of the writers of an edge's journal. */
    readPositions: (journal: string) => loadPositions(db, toJournalName(journal)),
    /**
     * Counts clicks and returns true. If the stored position of a writer differs from the `from` of
     * its move, counts nothing and returns false.
     */
    count: (handOver: HandOver) => runInTurn(() => count(handOver)),
  }
}

/**
 * Returns the name of an edge's journal. The prefix separates edges from local journals, whatever
 * id an edge sends.
 */
function toJournalName(id: string): string {
  return `edge ${id}`
}
