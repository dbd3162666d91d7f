import { setImmediate as turn } from 'node:timers/promises'
import type { Db } from '../../db/pool.ts'
import { unpackCounts } from '../encoding/label-counts.ts'
import { isFixedKind, KIND } from '../encoding/label-kinds.ts'
import { eachClick } from '../encoding/raw-clicks.ts'
import { listPartitions } from '../storage/partitions.queries.ts'
import {
  findLastLabel,
  markOrDeleteUnused,
  readLabelPages,
  readPackedLabels,
  readRawClicksOfMonth,
  startRound,
  unmarkUsed,
} from './unused-labels.queries.ts'

const namedKinds = Object.values(KIND).filter((kind) => !isFixedKind(kind))

/** The number of days between two rounds. Each round reads all tables with labels. */
const INTERVAL_DAYS = 7

/**
 * Deletes unused labels, once a week across all processes. A label that is found unused for the
 * first time is only marked, because a running import may have looked it up. Returns the number of
 * deleted labels. Stops early if the signal aborts.
 */
export async function removeUnusedLabels(db: Db, signal?: AbortSignal): Promise<number> {
  if (!(await startRound(db, INTERVAL_DAYS))) return 0
  const last = await findLastLabel(db)
  const used = createNumberSet(last)
  for await (const packed of readPackedLabels(db)) {
    for (const { kind, label } of unpackCounts(packed)) if (!isFixedKind(kind)) used.add(label)
    if (signal?.aborted) return 0
  }
  for (const month of await listPartitions(db)) {
    for await (const blocks of readRawClicksOfMonth(db, month)) {
      eachClick(blocks, ({ labels }) => {
        for (const kind of namedKinds) used.add(labels[kind] as number)
      })
      if (signal?.aborted) return 0
      await turn()
    }
  }
  let deleted = 0
  for await (const labels of readLabelPages(db, last)) {
    await unmarkUsed(db, labels.filter(used.has))
    deleted += await markOrDeleteUnused(
      db,
      labels.filter((label) => !used.has(label)),
    )
    if (signal?.aborted) break
    await turn()
  }
  return deleted
}

/** Creates a set of numbers up to `last` that uses one bit per number. */
function createNumberSet(last: number) {
  const bits = new Uint8Array((last >> 3) + 1)
  return {
    add(number: number): void {
      if (number <= last) bits[number >> 3] = (bits[number >> 3] as number) | (1 << (number & 7))
    },
    has: (number: number): boolean => ((bits[number >> 3] as number) & (1 << (number & 7))) !== 0,
  }
}
