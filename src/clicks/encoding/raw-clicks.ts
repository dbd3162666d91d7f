import { LAST_KIND } from './label-kinds.ts'
import { writeNumber } from './packed-counts.ts'

/**
 * Raw clicks in blocks. A block holds the clicks of one link on one day that were imported together:
 * link, day, number of clicks and number of label kinds, then the clicks. A click is the time of day with
 * two flags (4 bytes), the visitor's hash (8 bytes) and its label of each kind. Numbers without a fixed
 * length are unsigned LEB128. Blocks know their length, so they can be stored one after the other. A kind
 * that was added later has label 0 in older blocks.
 */

/** A click of people or crawlers. Readers reuse the object for the next click. */
export type RawClick = {
  linkId: number
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

const DAY = 86_400_000
/** Flags in the lowest bits of the time of day, which needs 27 bits. */
const CRAWLER = 1
const FIRST = 2
const FLAGS = 4
/** Link, day, clicks, kinds. */
const MOST_HEADER = 8 + 5 + 5 + 1
const MOST_LABEL = 5
const FIXED = 12

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
  let end = target.writeUInt32LE((click.at % DAY) * FLAGS + flags, offset)
  end = target.writeInt32LE(click.visitorLow, end)
  end = target.writeInt32LE(click.visitorHigh, end)
  for (let kind = 1; kind <= LAST_KIND; kind += 1) {
    end = writeNumber(target, end, click.labels[kind] as number)
  }
  return end
}

/** Calls `visit` with each click of blocks that are stored one after the other. */
export function eachClick(blocks: Buffer, visit: (click: RawClick) => void): void {
  const labels = new Int32Array(Math.max(LAST_KIND, 255) + 1)
  const click: RawClick = {
    ...{ linkId: 0, at: 0, visitorLow: 0, visitorHigh: 0 },
    ...{ crawler: false, isFirst: false, labels },
  }
  let offset = 0
  let number = 0

  /** Not a result, which would be an object for each number. */
  function readNumber(): void {
    let byte = blocks[offset++] as number
    number = byte & 127
    for (let scale = 128; byte > 127; scale *= 128) {
      byte = blocks[offset++] as number
      number += (byte & 127) * scale
    }
  }

  while (offset < blocks.length) {
    readNumber()
    click.linkId = number
    readNumber()
    const midnight = number * DAY
    readNumber()
    const clicks = number
    const kinds = blocks[offset++] as number
    if (kinds < LAST_KIND) labels.fill(0)
    for (let index = 0; index < clicks; index += 1) {
      const time = blocks.readUInt32LE(offset)
      click.at = midnight + Math.floor(time / FLAGS)
      click.crawler = (time & CRAWLER) !== 0
      click.isFirst = (time & FIRST) !== 0
      click.visitorLow = blocks.readInt32LE(offset + 4)
      click.visitorHigh = blocks.readInt32LE(offset + 8)
      offset += FIXED
      for (let kind = 1; kind <= kinds; kind += 1) {
        const byte = blocks[offset] as number
        if (byte < 128) {
          labels[kind] = byte
          offset += 1
        } else {
          readNumber()
          labels[kind] = number
        }
      }
      visit(click)
    }
  }
}
