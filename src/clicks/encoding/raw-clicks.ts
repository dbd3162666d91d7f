import { KIND, LAST_STORED_KIND } from './label-kinds.ts'
import { writeNumber } from './packed-counts.ts'

/**
 * The format of raw clicks. A block contains the clicks of one link on one day that were imported
 * together. It starts with the link, the day, the number of clicks and the number of label kinds.
 * Then come the clicks: the time of day with four flags (4 bytes), the visitor's hash (8 bytes) and
 * one label per kind, except for the kinds that are one of the flags. Numbers of variable length are
 * unsigned LEB128. Blocks contain their length, so they can be concatenated. A block written before
 * a kind existed is read with label 0 for that kind.
 */

/** A click by a person or a crawler. */
export type RawClick = {
  /** Milliseconds since 1970. */
  at: number
  visitorLow: number
  visitorHigh: number
  crawler: boolean
  /** Whether this is the visitor's first click on the link. */
  isFirst: boolean
  /** Label numbers, indexed by kind number. A click without a label of a kind has 0. */
  labels: Int32Array
}

/** A click read from a block. The object is reused for the next click. */
export type StoredClick = Omit<RawClick, 'visitorLow' | 'visitorHigh'> & {
  linkId: number
  /** The offset of the visitor's hash. See `visitorOf`. */
  visitorOffset: number
}

type Header = { linkId: number; day: number; clicks: number; kinds: number; end: number }

const DAY_MS = 86_400_000
/** Flags in the low bits, followed by the time of day, which needs 27 bits. */
const CRAWLER = 1
const FIRST_VISIT = 2
const FLAG_BITS = 2
/** The flags in the high bits: the click comes from a scan of a QR code, or looks automated. */
const SCAN = 2 ** 31
const AUTOMATED = 2 ** 30
/** The sizes of link, day, number of clicks and number of kinds. */
const MAX_HEADER_BYTES = 8 + 5 + 5 + 1
const MAX_LABEL_BYTES = 5
/** The size of a click's time, flags and visitor hash. */
const FIXED_BYTES = 12
/** The maximum, because a block stores the number of kinds in one byte. */
const MAX_KINDS = 255

/** Returns the maximum size of a block in bytes. */
export function maxBlockBytes(clicks: number): number {
  return MAX_HEADER_BYTES + clicks * (FIXED_BYTES + MAX_LABEL_BYTES * LAST_STORED_KIND)
}

/**
 * Writes the header of a block and returns its end offset. `writeClick` writes the clicks that
 * follow.
 */
export function writeBlockHeader(
  target: Buffer,
  offset: number,
  { linkId, day, clicks }: { linkId: number; day: number; clicks: number },
): number {
  let end = writeNumber(target, offset, linkId)
  end = writeNumber(target, end, day)
  end = writeNumber(target, end, clicks)
  target[end] = LAST_STORED_KIND
  return end + 1
}

/** Writes a click and returns its end offset. */
export function writeClick(target: Buffer, offset: number, click: RawClick): number {
  const scan = click.labels[KIND.source] === 1 ? SCAN : 0
  const automated = click.labels[KIND.automated] === 1 ? AUTOMATED : 0
  const flags = scan + automated + (click.crawler ? CRAWLER : 0) + (click.isFirst ? FIRST_VISIT : 0)
  let end = target.writeUInt32LE((click.at % DAY_MS) * 2 ** FLAG_BITS + flags, offset)
  end = target.writeInt32LE(click.visitorLow, end)
  end = target.writeInt32LE(click.visitorHigh, end)
  for (let kind = 1; kind <= LAST_STORED_KIND; kind += 1) {
    end = writeNumber(target, end, click.labels[kind] as number)
  }
  return end
}

/**
 * Calls `visit` with each click of the concatenated blocks that start between `from` (inclusive)
 * and `until` (exclusive). Returns the start of the next block.
 */
export function eachClick(
  blocks: Buffer,
  visit: (click: StoredClick) => void,
  { from = 0, until = blocks.length }: { from?: number; until?: number } = {},
): number {
  const labels = new Int32Array(MAX_KINDS + 1)
  const click = { linkId: 0, at: 0, visitorOffset: 0, crawler: false, isFirst: false, labels }
  const header = { linkId: 0, day: 0, clicks: 0, kinds: 0, end: 0 }
  const end = Math.min(until, blocks.length)
  let offset = from
  while (offset < end) {
    readHeader(blocks, offset, header)
    const { kinds, clicks } = header
    const midnight = header.day * DAY_MS
    click.linkId = header.linkId
    offset = header.end
    if (kinds < LAST_STORED_KIND) labels.fill(0)
    for (let index = 0; index < clicks; index += 1) {
      const time = (blocks[offset] as number) | ((blocks[offset + 1] as number) << 8)
      const high = (blocks[offset + 2] as number) | ((blocks[offset + 3] as number) << 8)
      click.at = midnight + ((time | ((high & 0x3fff) << 16)) >>> FLAG_BITS)
      click.crawler = (time & CRAWLER) !== 0
      click.isFirst = (time & FIRST_VISIT) !== 0
      click.visitorOffset = offset + 4
      offset += FIXED_BYTES
      for (let kind = 1; kind <= kinds; kind += 1) {
        let byte = blocks[offset++] as number
        let label = byte & 127
        for (let shift = 7; byte > 127; shift += 7) {
          byte = blocks[offset++] as number
          label |= (byte & 127) << shift
        }
        labels[kind] = label
      }
      labels[KIND.source] = high >>> 15
      labels[KIND.automated] = (high >>> 14) & 1
      visit(click)
    }
  }
  return offset
}

/**
 * Returns the low 53 bits of a visitor's hash. They are enough to distinguish the visitors of a few
 * minutes.
 */
export function visitorNumber(low: number, high: number): number {
  return (high & 0x1f_ffff) * 0x1_0000_0000 + (low >>> 0)
}

/** Returns the visitor's hash of a click. */
export function visitorOf(blocks: Buffer, { visitorOffset }: StoredClick): bigint {
  return blocks.readBigInt64LE(visitorOffset)
}

/**
 * Reads the header of a block into `header`. The object is reused, because many blocks contain a
 * single click.
 */
function readHeader(blocks: Buffer, from: number, header: Header): void {
  header.end = from
  header.linkId = readNumber(blocks, header)
  header.day = readNumber(blocks, header)
  header.clicks = readNumber(blocks, header)
  header.kinds = blocks[header.end++] as number
}

/** Reads a number of variable length at `header.end`, and advances this offset. */
function readNumber(blocks: Buffer, header: Header): number {
  let byte = blocks[header.end++] as number
  let number = byte & 127
  for (let scale = 128; byte > 127; scale *= 128) {
    byte = blocks[header.end++] as number
    number += (byte & 127) * scale
  }
  return number
}
