import { LAST_KIND } from './label-kinds.ts'
import { writeNumber } from './packed-counts.ts'

/**
 * Raw clicks in blocks. A block holds the clicks of one link on one day that were imported together:
 * link, day, number of clicks and number of label kinds, then the clicks. A click is the time of day with
 * two flags (4 bytes), the visitor's hash (8 bytes) and its label of each kind. Numbers without a fixed
 * length are unsigned LEB128. Blocks know their length, so they can be stored one after the other. A kind
 * that was added later has label 0 in older blocks.
 */

/** A click of people or crawlers. */
export type RawClick = {
  /** Milliseconds since 1970. */
  at: number
  visitorLow: number
  visitorHigh: number
  crawler: boolean
  /** Whether the visitor's first click on the link. */
  isFirst: boolean
  /** By kind number; 0 for none. */
  labels: Int32Array
}

/** A click as it is read. The object is reused for the next click. */
export type StoredClick = Omit<RawClick, 'visitorLow' | 'visitorHigh'> & {
  linkId: number
  /** Where the visitor's hash is; see `visitorOf`. */
  visitorAt: number
}

const DAY = 86_400_000
/** Flags in the lowest bits of the time of day, which needs 27 bits. */
const CRAWLER = 1
const FIRST = 2
const FLAG_BITS = 2
/** Link, day, clicks, kinds. */
const MOST_HEADER = 8 + 5 + 5 + 1
const MOST_LABEL = 5
const FIXED = 12
/** Blocks say in one byte how many kinds they have. */
const MOST_KINDS = 255

/** Returns the most bytes that a block takes. */
export function mostBlockBytes(clicks: number): number {
  return MOST_HEADER + clicks * (FIXED + MOST_LABEL * LAST_KIND)
}

/** Writes the header of a block and returns its end. The clicks follow, each by `writeClick`. */
export function writeBlockHeader(
  target: Buffer,
  offset: number,
  { linkId, day, clicks }: { linkId: number; day: number; clicks: number },
): number {
  let end = writeNumber(target, offset, linkId)
  end = writeNumber(target, end, day)
  end = writeNumber(target, end, clicks)
  target[end] = LAST_KIND
  return end + 1
}

/** Writes a click and returns its end. */
export function writeClick(
  target: Buffer,
  offset: number,
  click: Omit<RawClick, 'linkId'>,
): number {
  const flags = (click.crawler ? CRAWLER : 0) + (click.isFirst ? FIRST : 0)
  let end = target.writeUInt32LE((click.at % DAY) * 2 ** FLAG_BITS + flags, offset)
  end = target.writeInt32LE(click.visitorLow, end)
  end = target.writeInt32LE(click.visitorHigh, end)
  for (let kind = 1; kind <= LAST_KIND; kind += 1) {
    end = writeNumber(target, end, click.labels[kind] as number)
  }
  return end
}

/** Calls `visit` with each click of blocks that are stored one after the other. */
export function eachClick(blocks: Buffer, visit: (click: StoredClick) => void): void {
  const labels = new Int32Array(MOST_KINDS + 1)
  const click = { linkId: 0, at: 0, visitorAt: 0, crawler: false, isFirst: false, labels }
  let offset = 0
  while (offset < blocks.length) {
    const header = readHeader(blocks, offset)
    const { kinds, clicks } = header
    const midnight = header.day * DAY
    click.linkId = header.linkId
    offset = header.end
    if (kinds < LAST_KIND) labels.fill(0)
    for (let index = 0; index < clicks; index += 1) {
      const time = (blocks[offset] as number) | ((blocks[offset + 1] as number) << 8)
      const high = (blocks[offset + 2] as number) | ((blocks[offset + 3] as number) << 8)
      click.at = midnight + (((time | (high << 16)) >>> 0) >>> FLAG_BITS)
      click.crawler = (time & CRAWLER) !== 0
      click.isFirst = (time & FIRST) !== 0
      click.visitorAt = offset + 4
      offset += FIXED
      for (let kind = 1; kind <= kinds; kind += 1) {
        let byte = blocks[offset++] as number
        let label = byte & 127
        for (let shift = 7; byte > 127; shift += 7) {
          byte = blocks[offset++] as number
          label |= (byte & 127) << shift
        }
        labels[kind] = label
      }
      visit(click)
    }
  }
}

/** Returns the hash of a click's visitor. */
export function visitorOf(blocks: Buffer, { visitorAt }: StoredClick): bigint {
  return blocks.readBigInt64LE(visitorAt)
}

function readHeader(blocks: Buffer, from: number) {
  let end = from
  const next = () => {
    let byte = blocks[end++] as number
    let number = byte & 127
    for (let scale = 128; byte > 127; scale *= 128) {
      byte = blocks[end++] as number
      number += (byte & 127) * scale
    }
    return number
  }
  const [linkId, day, clicks] = [next(), next(), next()]
  const kinds = blocks[end++] as number
  return { linkId, day, clicks, kinds, end }
}
