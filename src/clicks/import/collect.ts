import type { JournalFolder, SegmentState } from '../journal/segments.ts'
import type { ClickLog } from '../maintenance/housekeeping.ts'
import { type Batch, createBatch } from './batch.ts'
import type { BusyVisitors } from './busy-visitors.ts'
import type { DescribeClick } from './describe.ts'
import type { Move } from './positions.queries.ts'

type CollectorOptions = {
  folder: JournalFolder
  describe: DescribeClick
  log: Pick<ClickLog, 'warn'>
  /**
   * The names of finished segments that end in an incomplete frame. Names are added to this set.
   */
  incomplete: Set<string>
  limit: BatchLimit
  /** Awaited after each slice, so that responses from the database are processed promptly. */
  pause: () => Promise<void>
}

/**
 * The approximate maximum size of a batch. The limit of links keeps transactions short, because
 * deleting a link waits for them, and a link takes the database ten times as long as a click. The
 * limit of clicks keeps the batch in memory.
 */
export type BatchLimit = { links: number; clicks: number }

export type CollectedBatch = {
  batch: Batch
  moves: Move[]
  clicks: number
  /** Whether more clicks may be waiting. */
  isFull: boolean
}

/** How far the journal was read, and the visitors of the clicks up to there. */
type Progress = { read: Map<string, number>; busy: BusyVisitors }

const CLICKS_PER_TURN = 1000

/**
 * Creates the function that reads the next batch of clicks from a journal folder. The function
 * starts at the read position of each segment and advances it. It returns undefined if there is
 * nothing to read.
 */
export function createCollector(options: CollectorOptions) {
  const { folder, describe, log, incomplete, limit, pause } = options

  return async ({ read: readPositions, busy }: Progress): Promise<CollectedBatch | undefined> => {
    let waiting = folder.list().filter(({ file, size }) => size > (readPositions.get(file) ?? 0))
    if (waiting.length === 0) return undefined
    const batch = createBatch()
    const moves = new Map<string, Move>()
    let clicks = 0
    const isFull = () => clicks >= limit.clicks || batch.links.length >= limit.links
    // Reads one slice of each segment in turn, so that one writer's backlog does not delay the
    // clicks of others.
    while (waiting.length > 0 && !isFull()) {
      for (const segment of waiting) {
        const added = readSlice({ batch, moves, busy }, readPositions, segment)
        if (added === undefined) waiting = waiting.filter((other) => other !== segment)
        clicks += added ?? 0
        await pause()
        if (isFull()) break
      }
    }
    if (moves.size === 0) return undefined
    return { batch, moves: [...moves.values()], clicks, isFull: isFull() }
  }

  /**
   * Adds one slice of a segment to the batch. Returns the number of clicks added, or undefined if
   * the segment has no more clicks.
   */
  function readSlice(
    { batch, moves, busy }: { batch: Batch; moves: Map<string, Move>; busy: BusyVisitors },
    readPositions: Map<string, number>,
    { file, size, isFinal }: SegmentState,
  ): number | undefined {
    const position = readPositions.get(file) ?? 0
    if (position >= size) return undefined
    const { records, offset, skippedBytes, hasPartialEnd } = folder.read(
      file,
      position,
      CLICKS_PER_TURN,
    )
    for (const record of records) {
      batch.add(record.linkId, record.at, busy.mark(describe(record), record.at))
    }
    if (skippedBytes > 0) {
      folder.setAside(file)
      log.warn(
        { file, bytes: skippedBytes },
        'damage in the click journal was skipped and set aside',
      )
    }
    if (offset === position) {
      if (hasPartialEnd && isFinal) incomplete.add(file)
      return undefined
    }
    readPositions.set(file, offset)
    moves.set(file, { file, from: moves.get(file)?.from ?? position, to: offset })
    return records.length
  }
}
