import { AUTOMATED_LABEL } from '../encoding/fixed-labels.ts'
import type { JournalFolder } from '../journal/segments.ts'
import type { ClickDescription, DescribeClick } from './describe.ts'

export type BusyVisitors = ReturnType<typeof createBusyVisitors>

type Source = { folder: JournalFolder; describe: DescribeClick; pause: () => Promise<void> }

/** The clicks of one visitor per minute up to which they look like those of a person. */
const MAX_CLICKS_PER_MINUTE = 20
const MINUTE_MS = 60_000
/** The visitors to remember, in 2.5 MB. With more in a minute, some are forgotten and never marked. */
const SLOTS = 1 << 17
/** The slots in which a visitor may be. */
const PROBES = 8
/** The bytes of each segment that are read again: a minute of 400 clicks a second. */
const RECENT_BYTES = 8 << 20
const FRAMES_PER_TURN = 1000

/**
 * Counts the clicks of each visitor by minute, to mark those of visitors with more than 20. The clicks
 * from the 21st on look automated, and all in the minute after. Whatever is forgotten, or read more
 * than a minute late, leads to fewer marks, never to more.
 */
export function createBusyVisitors() {
  const visitor = new BigInt64Array(1)
  const [low, high] = [new Int32Array(SLOTS), new Int32Array(SLOTS)]
  /** Each visitor's last minute, and its clicks in that minute and in the one before. */
  const minutes = new Int32Array(SLOTS)
  const clicks = new Uint32Array(SLOTS)
  const clicksBefore = new Uint32Array(SLOTS)
  const halves = new Int32Array(visitor.buffer)

  /** Counts a click, and returns its description with a mark if its visitor is busy. */
  function mark(description: ClickDescription, at: number): ClickDescription {
    if (description.crawler) return description
    visitor[0] = description.visitor
    const isBusy = count(Math.floor(at / MINUTE_MS))
    return isBusy ? { ...description, automated: AUTOMATED_LABEL } : description
  }

  function count(minute: number): boolean {
    const slot = findSlot()
    const age = minute - (minutes[slot] as number)
    if (age < -1) return false
    if (age > 0) {
      clicksBefore[slot] = age === 1 ? (clicks[slot] as number) : 0
      clicks[slot] = 0
      minutes[slot] = minute
    }
    // Another writer's clicks of the minute before may be read later.
    const counted = age === -1 ? clicksBefore : clicks
    counted[slot] = (counted[slot] as number) + 1
    const isBusyBefore = (clicksBefore[slot] as number) > MAX_CLICKS_PER_MINUTE
    return isBusyBefore || (counted[slot] as number) > MAX_CLICKS_PER_MINUTE
  }

  /** Returns the slot of the visitor. A new one replaces the visitor whose last click is the oldest. */
  function findSlot(): number {
    const [ownLow, ownHigh] = [halves[0] as number, halves[1] as number]
    let oldest = ownLow & (SLOTS - 1)
    for (let probe = 0; probe < PROBES; probe += 1) {
      const slot = (ownLow + probe) & (SLOTS - 1)
      if (low[slot] === ownLow && high[slot] === ownHigh) return slot
      if ((minutes[slot] as number) < (minutes[oldest] as number)) oldest = slot
    }
    low[oldest] = ownLow
    high[oldest] = ownHigh
    minutes[oldest] = 0
    clicks[oldest] = 0
    return oldest
  }

  function clear(): void {
    for (const column of [low, high, minutes, clicks, clicksBefore]) column.fill(0)
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
