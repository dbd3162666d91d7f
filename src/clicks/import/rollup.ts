import { KIND, labelKey } from '../encoding/label-counts.ts'
import type { Batch } from './batch.ts'
import { distinctVisitors, type Visitors } from './batch-visitors.ts'
import {
  countRuns,
  type Days,
  dayOf,
  firstDays,
  groupByLink,
  HOUR,
  KEYS,
  splitDays,
  startsOf,
} from './group.ts'

/** What one batch adds to each table, every list in the order of its table's key. */
export type Rollup = {
  /** Every link that was visited, also those that only crawlers visited, with no clicks then. */
  totals: { link: Float64Array; clicks: Float64Array; lastAt: Float64Array }
  details: Details
  /** The batch's rows, crawlers included, link by link. */
  rows: Uint32Array
}

/**
 * Every link that people visited, with its days and its visitors. These are columns and not objects,
 * since there are tens of thousands of links in a batch, nearly all of them with a click or two.
 */
export type Details = Visitors & {
  link: Float64Array
  /** Where the days of each link begin, and where the last ones end. */
  dayStarts: Uint32Array
  days: Days
  /** The link of each day. */
  dayLink: Float64Array
  /** Where the labels of each day begin, and where the last ones end. */
  labelStarts: Uint32Array
  labels: { keys: Float64Array; clicks: Uint32Array }
}

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
  const firsts = firstDays(days, links.length)
  await pause()
  const labels = new Float64Array(people * LABELS)
  let used = 0
  await eachPerson(columns, rows, starts, pause, (row, index) => {
    const base = dayOf(days, firsts[index] as number, columns.at[row] as number) * KEYS
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
  const labelStarts = startsOf(counts, days.day.length)
  const dayStarts = startsOfLinks(days)
  const visitors = distinctVisitors({ columns, rows, starts }, days, dayStarts, people)
  const dayLink = Float64Array.from(days.link, (index) => links[index] as number)
  const link = Float64Array.from(dayStarts.subarray(0, -1), (day) => dayLink[day] as number)
  return {
    totals,
    details: { link, dayStarts, days, dayLink, labelStarts, labels: counts, ...visitors },
    rows,
  }
}

/** Where the days of each link that has some begin, and where the last ones end. */
function startsOfLinks({ link }: Days): Uint32Array {
  const starts = new Uint32Array(link.length + 1)
  let links = 0
  for (let day = 0; day < link.length; day += 1) {
    if (day > 0 && link[day] === link[day - 1]) continue
    starts[links] = day
    links += 1
  }
  starts[links] = link.length
  return starts.subarray(0, links + 1)
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
