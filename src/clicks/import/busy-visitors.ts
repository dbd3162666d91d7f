import { AUTOMATED_LABEL } from '../encoding/fixed-labels.ts'
import type { JournalFolder } from '../journal/segments.ts'
import type { ClickDescription, DescribeClick } from './describe.ts'

export type BusyVisitors = ReturnType<typeof createBusyVisitors>

type Source = { folder: JournalFolder; describe: DescribeClick; pause: () => Promise<void> }

/** The clicks of one visitor per minute up to which they look like those of a person. */
const MAX_CLICKS_PER_MINUTE = 20
const MINUTE_MS = 60_000
/** The minutes and visitors to remember, in some 10 MB. More are forgotten, and never marked. */
const MAX_MINUTES = 60
const MAX_VISITORS = 100_000
/** The bytes of each segment that are read again: a minute of 400 clicks a second. */
const RECENT_BYTES = 8 << 20
const FRAMES_PER_TURN = 1000

/**
 * Counts the clicks of each visitor by minute, to mark those of visitors with more than 20. The clicks
 * from the 21st on look automated, and all in the minute after. Whatever is forgotten leads to fewer
 * marks, never to more.
 */
export function createBusyVisitors() {
  const minutes = new Map<number, Map<bigint, number>>()
  let size = 0

  /** Counts a click, and returns its description with a mark if its visitor is busy. */
  function mark(description: ClickDescription, at: number): ClickDescription {
    if (description.crawler || !isBusy(description.visitor, Math.floor(at / MINUTE_MS))) {
      return description
    }
    return { ...description, automated: AUTOMATED_LABEL }
  }

  function isBusy(visitor: bigint, minute: number): boolean {
    const visitors = findMinute(minute)
    const clicks = (visitors.get(visitor) ?? 0) + 1
    visitors.set(visitor, clicks)
    if (clicks === 1) size += 1
    const before = minutes.get(minute - 1)?.get(visitor) ?? 0
    return Math.max(clicks, before) > MAX_CLICKS_PER_MINUTE
  }

  function findMinute(minute: number): Map<bigint, number> {
    for (const [oldest, visitors] of minutes) {
      if (size < MAX_VISITORS && minutes.size <= MAX_MINUTES) break
      size -= visitors.size
      minutes.delete(oldest)
    }
    const visitors = minutes.get(minute) ?? new Map<bigint, number>()
    minutes.set(minute, visitors)
    return visitors
  }

  function clear(): void {
    minutes.clear()
    size = 0
  }

  return { mark, clear }
}

/**
 * Counts the clicks that were imported from a journal already, as far as it still has the last ones,
 * so that a restart of the importer does not forget who was busy.
 */
export async function countImported(
  { imported, busy }: { imported: ReadonlyMap<string, number>; busy: BusyVisitors },
  { folder, describe, pause }: Source,
): Promise<void> {
  for (const { file } of folder.list()) {
    const end = imported.get(file) ?? 0
    let from = Math.max(0, end - RECENT_BYTES)
    for (let frames = 1; from < end; frames += 1) {
      // One frame at a time, because the next one may not be imported yet.
      const { records, offset } = folder.read(file, from, 1)
      if (offset === from || offset > end) break
      for (const record of records) busy.mark(describe(record), record.at)
      from = offset
      if (frames % FRAMES_PER_TURN === 0) await pause()
    }
  }
}
