import { HOURS } from '../encoding/packed-hours.ts'

export const HOUR = 3_600_000
/** A position in a batch times this, plus a key of a label (34 bits), stays below 2^53. */
export const KEYS = 2 ** 34

/** The links in ascending order, their rows one link after the other, and where each begins. */
export function groupByLink(
  link: readonly number[],
  alive: { has(linkId: number): boolean },
): { links: Float64Array; rows: Uint32Array; starts: Uint32Array } {
  const links = Float64Array.from([...new Set(link)].filter((id) => alive.has(id))).sort()
  const positions = new Map<number, number>()
  for (let position = 0; position < links.length; position += 1) {
    positions.set(links[position] as number, position)
  }
  const positionOf = Int32Array.from(link, (id) => positions.get(id) ?? -1)
  const starts = new Uint32Array(links.length + 1)
  for (const position of positionOf)
    if (position >= 0) starts[position + 1] = (starts[position + 1] as number) + 1
  for (let position = 1; position <= links.length; position += 1) {
    starts[position] = (starts[position] as number) + (starts[position - 1] as number)
  }
  const next = starts.slice()
  const rows = new Uint32Array(starts[links.length] as number)
  for (let row = 0; row < positionOf.length; row += 1) {
    const position = positionOf[row] as number
    if (position < 0) continue
    const slot = next[position] as number
    rows[slot] = row
    next[position] = slot + 1
  }
  return { links, rows, starts }
}

/** Numbers that were counted: the keys of each index, ascending, and how often each came. */
export type Runs = { indexes: Uint32Array; keys: Float64Array; clicks: Uint32Array }

/** Counts sorted numbers, each an index times `KEYS` plus a key. */
export function countRuns(sorted: Float64Array): Runs {
  const indexes = new Uint32Array(sorted.length)
  // Nobody reads a number again that has been counted.
  const keys = sorted
  const clicks = new Uint32Array(sorted.length)
  let runs = 0
  for (let start = 0, end = 1; start < sorted.length; start = end, end += 1) {
    const value = sorted[start] as number
    while (sorted[end] === value) end += 1
    const index = Math.floor(value / KEYS)
    indexes[runs] = index
    keys[runs] = value - index * KEYS
    clicks[runs] = end - start
    runs += 1
  }
  return {
    indexes: indexes.subarray(0, runs),
    keys: keys.subarray(0, runs),
    clicks: clicks.subarray(0, runs),
  }
}

/** Where the runs of each of `count` indexes begin, of which none is left out, and where they end. */
export function startsOf({ indexes }: Runs, count: number): Uint32Array {
  const starts = new Uint32Array(count + 1)
  for (let run = indexes.length - 1; run >= 0; run -= 1) starts[indexes[run] as number] = run
  starts[count] = indexes.length
  return starts
}

/** Days of links, each with its clicks by hour of the day; the links are known by their indexes. */
export type Days = {
  link: Uint32Array
  /** Counted since 1970. */
  day: Uint32Array
  /** Where the hours of each day begin, and where the last ones end. */
  hourStarts: Uint32Array
  hours: { keys: Float64Array; clicks: Uint32Array }
}

/** Makes days of runs whose keys are hours since 1970. */
export function splitDays({ indexes, keys, clicks }: Runs): Days {
  const link = new Uint32Array(indexes.length)
  const day = new Uint32Array(indexes.length)
  const hourStarts = new Uint32Array(indexes.length + 1)
  let days = 0
  for (let run = 0; run < indexes.length; run += 1) {
    const index = indexes[run] as number
    const date = Math.floor((keys[run] as number) / HOURS)
    if (days === 0 || link[days - 1] !== index || day[days - 1] !== date) {
      link[days] = index
      day[days] = date
      hourStarts[days] = run
      days += 1
    }
    keys[run] = (keys[run] as number) - date * HOURS
  }
  hourStarts[days] = indexes.length
  return {
    link: link.subarray(0, days),
    day: day.subarray(0, days),
    hourStarts: hourStarts.subarray(0, days + 1),
    hours: { keys, clicks },
  }
}

/** Where each link's days begin, by the link's index; of a link without days nothing is told. */
export function firstDays({ link }: Days, links: number): Uint32Array {
  const firsts = new Uint32Array(links)
  for (let index = link.length - 1; index >= 0; index -= 1) firsts[link[index] as number] = index
  return firsts
}

/** The index of the day on which a click was, from the first day of its link on. */
export function dayOf({ day }: Days, first: number, at: number): number {
  const date = Math.floor(at / (HOURS * HOUR))
  let index = first
  while ((day[index] as number) < date) index += 1
  return index
}
