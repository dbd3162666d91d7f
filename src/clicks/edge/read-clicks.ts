import type { DescribeClick } from '../import/describe.ts'
import type { JournalFolder, SegmentState } from '../journal/segments.ts'
import { locatePosition, toPosition, toWire, type WireClick, type WriterMove } from './wire.ts'

type ReadResult = {
  clicks: WireClick[]
  moves: WriterMove[]
  /** Finished segments without unread clicks. */
  finished: FinishedSegment[]
}

/** A finished segment, which can be deleted once its writer's position has reached `end`. */
export type FinishedSegment = {
  file: string
  writer: string
  end: number
  /** The size of an incomplete frame at the end of the segment. */
  incompleteBytes: number
}

type Options = {
  folder: JournalFolder
  describe: DescribeClick
  log: { warn(details: object, text: string): void }
  /** The approximate maximum number of clicks. */
  limit: number
}

const CLICKS_PER_READ = 1000

/** Reads the clicks of each writer from its position on, up to about `limit` clicks in total. */
export function readClicks(options: Options, positions: ReadonlyMap<string, number>): ReadResult {
  const result: ReadResult = { clicks: [], moves: [], finished: [] }
  const byWriter = Map.groupBy(options.folder.list(), ({ writer }) => writer)
  for (const [writer, segments] of byWriter) {
    const from = positions.get(writer) ?? 0
    const to = readWriter(options, result, { from, segments })
    if (to > from) result.moves.push({ writer, from, to })
  }
  return result
}

/** Adds the clicks of one writer to `result` and returns its new position. */
function readWriter(
  options: Options,
  result: ReadResult,
  { from, segments }: { from: number; segments: readonly SegmentState[] },
): number {
  let position = from
  for (const segment of segments) {
    const { file, writer, sequence, isFinal } = segment
    const start = locatePosition(position)
    let incompleteBytes = 0
    if (sequence >= start.sequence) {
      const startOffset = sequence === start.sequence ? start.offset : 0
      const { offset, isAtEnd } = readSegment(options, result, { ...segment, startOffset })
      if (offset > startOffset) position = toPosition(sequence, offset)
      if (!isAtEnd || !isFinal) return position
      incompleteBytes = Math.max(0, segment.size - offset)
    }
    result.finished.push({ file, writer, end: position, incompleteBytes })
  }
  return position
}

/**
 * Adds the clicks of a segment to `result`. Returns the offset reached, and whether the segment has
 * no more clicks.
 */
function readSegment(
  { folder, describe, log, limit }: Options,
  { clicks }: ReadResult,
  { file, size, startOffset }: SegmentState & { startOffset: number },
): { offset: number; isAtEnd: boolean } {
  let offset = startOffset
  while (offset < size) {
    if (clicks.length >= limit) return { offset, isAtEnd: false }
    const frames = folder.read(file, offset, CLICKS_PER_READ)
    for (const record of frames.records) {
      clicks.push(toWire(record.linkId, record.at, describe(record)))
    }
    if (frames.skippedBytes > 0) {
      folder.setAside(file)
      log.warn(
        { file, bytes: frames.skippedBytes },
        'damage in the click journal was skipped and set aside',
      )
    }
    if (frames.offset === offset) break
    offset = frames.offset
  }
  return { offset, isAtEnd: true }
}
