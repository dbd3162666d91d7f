import type { DescribeClick } from '../import/describe.ts'
import type { JournalFolder, SegmentState } from '../journal/segments.ts'
import { locate, positionOf, toWire, type WireClick, type WriterMove } from './wire.ts'

type Found = {
  clicks: WireClick[]
  moves: WriterMove[]
  /** Finished segments that were read completely. */
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

const SLICE = 1000

/** Reads the clicks of all writers after these positions. */
export function readClicks(options: Options, positions: ReadonlyMap<string, number>): Found {
  const found: Found = { clicks: [], moves: [], finished: [] }
  const byWriter = Map.groupBy(options.folder.list(), ({ writer }) => writer)
  for (const [writer, segments] of byWriter) {
    const from = positions.get(writer) ?? 0
    const to = readWriter(options, found, { from, segments })
    if (to > from) found.moves.push({ writer, from, to })
  }
  return found
}

/** Reads the segments of one writer and returns the new position. */
function readWriter(
  options: Options,
  found: Found,
  { from, segments }: { from: number; segments: readonly SegmentState[] },
): number {
  let position = from
  for (const segment of segments) {
    const { file, writer, sequence, final } = segment
    const reached = locate(position)
    let incompleteBytes = 0
    if (sequence >= reached.sequence) {
      const start = sequence === reached.sequence ? reached.offset : 0
      const { offset, isAtEnd } = readSegment(options, found, { ...segment, start })
      if (offset > start) position = positionOf(sequence, offset)
      if (!isAtEnd || !final) return position
      incompleteBytes = Math.max(0, segment.size - offset)
    }
    found.finished.push({ file, writer, end: position, incompleteBytes })
  }
  return position
}

/** Reads a segment. Returns the new offset, and whether it is the end of the segment. */
function readSegment(
  { folder, describe, log, limit }: Options,
  { clicks }: Found,
  { file, size, start }: SegmentState & { start: number },
): { offset: number; isAtEnd: boolean } {
  let offset = start
  while (offset < size) {
    if (clicks.length >= limit) return { offset, isAtEnd: false }
    const frames = folder.read(file, offset, SLICE)
    for (const record of frames.records) {
      clicks.push(toWire(record.linkId, record.at, describe(record)))
    }
    if (frames.skipped > 0) {
      log.warn({ file, bytes: frames.skipped }, 'damage in the click journal was skipped')
    }
    if (frames.offset === offset) break
    offset = frames.offset
  }
  return { offset, isAtEnd: true }
}
