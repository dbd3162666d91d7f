import { type Counts, KIND, labelKey, sumCounts } from '../encoding/label-counts.ts'
import type { Batch } from './batch.ts'
import { arrivalsOf, distinctVisitors } from './batch-visitors.ts'
import {
  countRuns,
  countsByIndex,
  type Day,
  dayOf,
  firstOfEachLink,
  groupByLink,
  HOUR,
  KEYS,
  type Runs,
  splitDays,
} from './group.ts'

/** What one batch adds to each table, every list in the order of its table's key. */
export type Rollup = {
  /** Every link that was visited, also those that only crawlers visited, with no clicks then. */
  totals: { link: Float64Array; clicks: Float64Array; lastAt: Float64Array }
  /** Every link that people visited: their clicks by label and day, and each visitor once. */
  details: LinkDetails[]
  /** The batch's rows, crawlers included, link by link. */
  rows: Uint32Array
}

export type LinkDetails = {
  link: number
  labels: Counts
  /** Ascending. */
  days: DayCounts[]
  /** Two numbers for each visitor: the lower and the higher half of the hash, signed. */
  visitors: number[]
  /** The hour since 1970 in which each visitor came first. */
  arrivals: number[]
}

/** The clicks of one link on one day, counted since 1970: by label and by hour since 1970. */
export type DayCounts = { day: number; labels: Counts; hours: Counts }

/** Most labels that one click counts under. */
const LABELS = 7
const SLICE = 5000

/**
 * Adds up the clicks of people in a batch, leaving out links that are not in `alive`. `labelIds`
 * tells the number of each of the batch's names. Sorting and counting runs is several times faster
 * here than counting in maps. `pause` is awaited every few thousand clicks.
 */
export async function rollUp(
  { columns }: Batch,
  labelIds: ArrayLike<number>,
  alive: { has(linkId: number): boolean },
  pause: () => Promise<void>,
): Promise<Rollup> {
  const { links, rows, starts } = groupByLink(columns.link, alive)
  await pause()
  const totals = {
    link: links,
    clicks: new Float64Array(links.length),
    lastAt: new Float64Array(links.length),
  }
  const hours = new Float64Array(rows.length)
  let people = 0
  await eachPerson(columns, rows, starts, pause, (row, index) => {
    const at = columns.at[row] as number
    totals.clicks[index] = (totals.clicks[index] as number) + 1
    totals.lastAt[index] = Math.max(totals.lastAt[index] as number, at)
    hours[people++] = index * KEYS + Math.floor(at / HOUR)
  })
  const days = splitDays(countRuns(hours.subarray(0, people).sort()))
  const firstDays = firstOfEachLink(days, links.length)
  await pause()
  const labels = new Float64Array(people * LABELS)
  let used = 0
  await eachPerson(columns, rows, starts, pause, (row, index) => {
    const base = dayOf(days, firstDays[index] as number, columns.at[row] as number) * KEYS
    const count = (kind: number, label: number) => {
      labels[used++] = base + labelKey(kind, label)
    }
    count(KIND.country, labelIds[columns.country[row] as number] as number)
    count(KIND.referrer, labelIds[columns.referrer[row] as number] as number)
    count(KIND.browser, labelIds[columns.browser[row] as number] as number)
    count(KIND.os, labelIds[columns.os[row] as number] as number)
    count(KIND.device, columns.device[row] as number)
    count(KIND.language, columns.language[row] as number)
    const social = columns.social[row] as number
    if (social >= 0) count(KIND.social, labelIds[social] as number)
  })
  await pause()
  const counts = countRuns(labels.subarray(0, used).sort())
  await pause()
  return { totals, details: detailsOf({ columns, rows, links, starts }, days, counts), rows }
}

/** Calls `visit` with each click of a person, link by link: its row, and the index of its link. */
async function eachPerson(
  { crawler }: Batch['columns'],
  rows: Uint32Array,
  starts: Uint32Array,
  pause: () => Promise<void>,
  visit: (row: number, link: number) => void,
): Promise<void> {
  let link = 0
  for (let index = 0; index < rows.length; index += 1) {
    if (index % SLICE === SLICE - 1) await pause()
    while (index >= (starts[link + 1] as number)) link += 1
    const row = rows[index] as number
    if (!crawler[row]) visit(row, link)
  }
}

type Grouped = {
  columns: Batch['columns']
  rows: Uint32Array
  links: Float64Array
  starts: Uint32Array
}

function detailsOf(
  { columns, rows, links, starts }: Grouped,
  days: readonly Day[],
  runs: Runs,
): LinkDetails[] {
  const labels = countsByIndex(runs)
  const details: LinkDetails[] = []
  for (let first = 0, end = 1; first < days.length; first = end, end += 1) {
    const { link } = days[first] as Day
    while (days[end]?.link === link) end += 1
    const own = days.slice(first, end)
    const [start, stop] = [starts[link] as number, starts[link + 1] as number]
    const visitors = distinctVisitors(columns, rows, start, stop)
    details.push({
      link: links[link] as number,
      labels: end - first === 1 ? (labels[first] as Counts) : sumCounts(labels.slice(first, end)),
      days: own.map(({ day, hours }, offset) => ({
        day,
        hours,
        labels: labels[first + offset] as Counts,
      })),
      visitors,
      arrivals: arrivalsOf(visitors, own, columns, rows.subarray(start, stop)),
    })
  }
  return details
}
