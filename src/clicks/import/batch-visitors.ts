import type { Range } from '../encoding/packed-counts.ts'
import { HOURS } from '../encoding/packed-hours.ts'
import type { Columns } from './columns.ts'
import type { Days } from './days.ts'
import { type Grouped, hourOf } from './group.ts'

/** A visitor's hash takes this many numbers of 32 bits. */
const WORDS = 2

/** Each visitor of each link once. */
export type Visitors = {
  /** Where the visitors of each link begin, and where the last ones end. */
  visitorStarts: Uint32Array
  /** Two numbers for each visitor: the lower and the higher half of the hash, signed. */
  visitors: Int32Array
  /** The hour since 1970 in which each visitor came first. */
  arrivals: Uint32Array
}

/**
 * The visitors of links that people visited: those of `days`, each of which begins with one of
 * `dayStarts`.
 */
export function distinctVisitors(
  { clicks, starts }: Grouped,
  days: Days,
  dayStarts: Uint32Array,
): Visitors {
  const { crawler, visitorLow, visitorHigh } = clicks
  const links = dayStarts.length - 1
  const hashes = new BigInt64Array(crawler.length)
  const words = new Int32Array(hashes.buffer)
  const found: Visitors = {
    visitorStarts: new Uint32Array(links + 1),
    visitors: words,
    arrivals: new Uint32Array(crawler.length),
  }
  let end = 0
  for (let index = 0; index < links; index += 1) {
    const first = dayStarts[index] as number
    const last = dayStarts[index + 1] as number
    const link = days.link[first] as number
    const start = days.clickStarts[first] as number
    const stop = starts[link + 1] as number
    const begin = end
    for (let row = start; row < stop; row += 1) {
      if (crawler[row] === 1) continue
      words[WORDS * end] = visitorLow[row] as number
      words[WORDS * end + 1] = visitorHigh[row] as number
      end += 1
    }
    if (end - begin > 1) {
      hashes.subarray(begin, end).sort()
      end = withoutRepeats(words, begin, end)
    }
    found.visitorStarts[index + 1] = end
    const firstHour = days.hourStarts[first] as number
    if (days.hourStarts[last] === firstHour + 1) {
      const hour = (days.day[first] as number) * HOURS + (days.hours.keys[firstHour] as number)
      found.arrivals.fill(hour, begin, end)
    } else {
      setArrivals(found.arrivals, clicks, { from: start, to: stop }, words, {
        from: begin,
        to: end,
      })
    }
  }
  return found
}

/** Leaves each of sorted hashes once; gives the end of those that are left. */
function withoutRepeats(words: Int32Array, from: number, to: number): number {
  let end = from + 1
  for (let index = from + 1; index < to; index += 1) {
    const [low, high] = [words[WORDS * index] as number, words[WORDS * index + 1] as number]
    if (low === words[WORDS * end - 2] && high === words[WORDS * end - 1]) continue
    words[WORDS * end] = low
    words[WORDS * end + 1] = high
    end += 1
  }
  return end
}

/** Where the clicks of one link are of several hours: the first one of each of its visitors. */
function setArrivals(
  arrivals: Uint32Array,
  { crawler, visitorLow, visitorHigh, at }: Columns,
  clicks: Range,
  words: Int32Array,
  { from, to }: Range,
): void {
  arrivals.fill(2 ** 32 - 1, from, to)
  for (let index = clicks.from; index < clicks.to; index += 1) {
    if (crawler[index] === 1) continue
    const [low, high] = [visitorLow[index] as number, visitorHigh[index] as number]
    const slot = find(words, from, to, low, high)
    const hour = hourOf(at[index] as number)
    arrivals[slot] = Math.min(arrivals[slot] as number, hour)
  }
}

/** The index of a hash among sorted ones that have it. */
function find(words: Int32Array, from: number, to: number, low: number, high: number): number {
  let [first, last] = [from, to - 1]
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
