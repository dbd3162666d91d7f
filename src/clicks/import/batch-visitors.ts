import type { Range } from '../encoding/packed-counts.ts'
import type { Columns } from './columns.ts'
import type { Days } from './days.ts'
import { type Grouped, hourOf } from './group.ts'

/** The number of 32-bit numbers in a visitor's hash. */
const WORDS = 2

/** The distinct visitors of each link. */
export type Visitors = {
  /** The start of each link's visitors, followed by the end of the last link's visitors. */
  visitorStarts: Uint32Array
  /** Two signed numbers per visitor: the low and the high half of the hash. */
  visitors: Int32Array
  /** The index of each visitor's earliest click in the batch. */
  firstClicks: Uint32Array
  /** The hour of that click, in hours since 1970. */
  arrivals: Uint32Array
}

/**
 * Returns the distinct visitors of all links with human clicks. The links are those of `days`, and
 * `dayStarts` has the first day of each link.
 */
export function findDistinctVisitors(
  { clicks, starts }: Grouped,
  days: Days,
  dayStarts: Uint32Array,
): Visitors {
  const { at, crawler, visitorLow, visitorHigh } = clicks
  const links = dayStarts.length - 1
  const hashes = new BigInt64Array(crawler.length)
  const words = new Int32Array(hashes.buffer)
  const visitors: Visitors = {
    visitorStarts: new Uint32Array(links + 1),
    visitors: words,
    firstClicks: new Uint32Array(crawler.length),
    arrivals: new Uint32Array(crawler.length),
  }
  const { firstClicks, arrivals } = visitors
  let end = 0
  for (let index = 0; index < links; index += 1) {
    const first = dayStarts[index] as number
    const link = days.link[first] as number
    const start = days.clickStarts[first] as number
    const stop = starts[link + 1] as number
    const firstSlot = end
    for (let row = start; row < stop; row += 1) {
      if (crawler[row] === 1) continue
      words[WORDS * end] = visitorLow[row] as number
      words[WORDS * end + 1] = visitorHigh[row] as number
      firstClicks[end] = row
      end += 1
    }
    if (end - firstSlot > 1) {
      hashes.subarray(firstSlot, end).sort()
      end = removeDuplicates(words, firstSlot, end)
      const range = { from: firstSlot, to: end }
      setFirstClicks(firstClicks, clicks, { from: start, to: stop }, words, range)
    }
    visitors.visitorStarts[index + 1] = end
    for (let slot = firstSlot; slot < end; slot += 1) {
      arrivals[slot] = hourOf(at[firstClicks[slot] as number] as number)
    }
  }
  return visitors
}

/** Removes duplicates from sorted hashes and returns the new end. */
function removeDuplicates(words: Int32Array, from: number, to: number): number {
  let end = from + 1
  for (let index = from + 1; index < to; index += 1) {
    const low = words[WORDS * index] as number
    const high = words[WORDS * index + 1] as number
    if (low === words[WORDS * end - 2] && high === words[WORDS * end - 1]) continue
    words[WORDS * end] = low
    words[WORDS * end + 1] = high
    end += 1
  }
  return end
}

/** Finds the earliest click of each visitor of a link. */
function setFirstClicks(
  firstClicks: Uint32Array,
  { at, crawler, visitorLow, visitorHigh }: Columns,
  clicks: Range,
  words: Int32Array,
  { from, to }: Range,
): void {
  firstClicks.fill(NO_INDEX, from, to)
  for (let row = clicks.from; row < clicks.to; row += 1) {
    if (crawler[row] === 1) continue
    const slot = findHash(words, from, to, visitorLow[row] as number, visitorHigh[row] as number)
    const earliest = firstClicks[slot] as number
    if (earliest === NO_INDEX || (at[row] as number) < (at[earliest] as number))
      firstClicks[slot] = row
  }
}

/** An index that no click has. */
const NO_INDEX = 2 ** 32 - 1

/** Returns the index of a hash in sorted hashes. The list must contain it. */
function findHash(words: Int32Array, from: number, to: number, low: number, high: number): number {
  let first = from
  let last = to - 1
  while (first < last) {
    const middle = (first + last) >>> 1
    const [otherLow, otherHigh] = [words[WORDS * middle], words[WORDS * middle + 1]] as Pair
    const isBefore = otherHigh < high || (otherHigh === high && otherLow >>> 0 < low >>> 0)
    if (isBefore) first = middle + 1
    else last = middle
  }
  return first
}

type Pair = [number, number]
