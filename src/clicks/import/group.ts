import type { Counts } from '../encoding/label-counts.ts'
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
  const positions = new Map(Array.from(links, (id, position) => [id, position]))
  const positionOf = link.map((id) => positions.get(id) ?? -1)
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

/** A day of a link that is known by its index, with its clicks by hour since 1970. */
export type Day = { link: number; day: number; hours: { keys: number[]; clicks: number[] } }

export function splitDays({ indexes, keys, clicks }: Runs): Day[] {
  const days: Day[] = []
  let last: Day | undefined
  for (let run = 0; run < keys.length; run += 1) {
    const link = indexes[run] as number
    const hour = keys[run] as number
    const day = Math.floor(hour / HOURS)
    if (last?.link !== link || last.day !== day) {
      last = { link, day, hours: { keys: [], clicks: [] } }
      days.push(last)
    }
    last.hours.keys.push(hour)
    last.hours.clicks.push(clicks[run] as number)
  }
  return days
}

/** Where each link's days begin, by the link's index. */
export function firstOfEachLink(days: readonly Day[], links: number): Uint32Array {
  const firsts = new Uint32Array(links)
  for (let index = days.length - 1; index >= 0; index -= 1) {
    firsts[(days[index] as Day).link] = index
  }
  return firsts
}

/** The index of the day on which a click was, from the first day of its link on. */
export function dayOf(days: readonly Day[], first: number, at: number): number {
  const day = Math.floor(at / (HOURS * HOUR))
  let index = first
  while ((days[index] as Day).day < day) index += 1
  return index
}

export type Runs = { indexes: number[]; keys: number[]; clicks: number[] }

export function countRuns(sorted: Float64Array): Runs {
  const runs: Runs = { indexes: [], keys: [], clicks: [] }
  for (let start = 0, end = 1; start < sorted.length; start = end, end += 1) {
    const value = sorted[start] as number
    while (sorted[end] === value) end += 1
    const index = Math.floor(value / KEYS)
    runs.indexes.push(index)
    runs.keys.push(value - index * KEYS)
    runs.clicks.push(end - start)
  }
  return runs
}

/** The counts of each index, of which none is left out. */
export function countsByIndex({ indexes, keys, clicks }: Runs): Counts[] {
  const counts: Counts[] = []
  for (let start = 0, end = 1; start < indexes.length; start = end, end += 1) {
    while (end < indexes.length && indexes[end] === indexes[start]) end += 1
    counts.push({ keys: keys.slice(start, end), clicks: clicks.slice(start, end) })
  }
  return counts
}
