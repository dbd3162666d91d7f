import type { JournalFolder, SegmentState } from '../journal/segments.ts'
import type { ClickLog } from '../maintenance/housekeeping.ts'
import { type Batch, createBatch } from './batch.ts'
import type { DescribeClick } from './describe.ts'
import type { Move } from './positions.queries.ts'

type CollectorOptions = {
  folder: JournalFolder
  describe: DescribeClick
  log: Pick<ClickLog, 'warn'>
  /** Gets the names of finished segments that end in something that is no frame. */
  torn: Set<string>
  limit: BatchLimit
  /** Awaited after each slice, so that an answer of the database never waits long. */
  pause: () => Promise<void>
}

/**
 * What ends a batch, about. How long a transaction takes, for which who deletes one of its links has to
 * wait, follows from its links: each costs the database ten times what a click does. The more clicks of
 * as many links there are, the less each of them costs; how many there may be is a matter of memory.
 */
export type BatchLimit = { links: number; clicks: number }

export type Collected = {
  batch: Batch
  moves: Move[]
  clicks: number
  /** Whether there may be more to read. */
  isFull: boolean
}

const SLICE = 1000

/**
 * Makes the function that reads the next batch of clicks from a journal folder. It takes how far
 * each segment has been read, and moves that on; undefined means that there was nothing to read.
 */
export function createCollector(options: CollectorOptions) {
  const { folder, describe, log, torn, limit, pause } = options

  return async (read: Map<string, number>): Promise<Collected | undefined> => {
    let waiting = folder.list().filter(({ file, size }) => size > (read.get(file) ?? 0))
    if (waiting.length === 0) return undefined
    const batch = createBatch()
    const moves = new Map<string, Move>()
    let clicks = 0
    const isFull = () => clicks >= limit.clicks || batch.links.length >= limit.links
    // A slice of each in turn, so that no writer's clicks wait behind another's backlog.
    while (waiting.length > 0 && !isFull()) {
      for (const segment of waiting) {
        const found = readSlice({ batch, moves }, read, segment)
        if (found === undefined) waiting = waiting.filter((other) => other !== segment)
        clicks += found ?? 0
        await pause()
        if (isFull()) break
      }
    }
    if (moves.size === 0) return undefined
    return { batch, moves: [...moves.values()], clicks, isFull: isFull() }
  }

  /** Adds one slice of a segment to the batch; undefined if it had nothing more to give. */
  function readSlice(
    { batch, moves }: { batch: Batch; moves: Map<string, Move> },
    read: Map<string, number>,
    { file, size, final }: SegmentState,
  ): number | undefined {
    const position = read.get(file) ?? 0
    if (position >= size) return undefined
    const { records, offset, skipped, tail } = folder.read(file, position, SLICE)
    for (const record of records) batch.add(record.linkId, record.at, describe(record))
    if (skipped > 0) log.warn({ file, bytes: skipped }, 'damage in the click journal was skipped')
    if (offset === position) {
      if (tail && final) torn.add(file)
      return undefined
    }
    read.set(file, offset)
    moves.set(file, { file, from: moves.get(file)?.from ?? position, to: offset })
    return records.length
  }
}
