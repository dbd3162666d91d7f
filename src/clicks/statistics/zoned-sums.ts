import type { Db } from '../../db/pool.ts'
import { labelsOfKind, unpackInto } from '../encoding/label-counts.ts'
import { HOURS, NEW_VISITORS } from '../encoding/packed-hours.ts'
import { eachClick } from '../encoding/raw-clicks.ts'
import { readRawClicks } from '../storage/raw-clicks.queries.ts'
import { createLabelCounter } from './label-counter.ts'
import type { DayRow, Sums } from './period-sums.ts'
import { accountDays, daysOfLinks } from './periods.queries.ts'
import { chunks } from './periods.ts'
import { createStepFinder } from './raw-sums.ts'
import type { Scope } from './scope.ts'
import type { ZonedStep } from './zone.ts'

export type ZonedSums = Sums & {
  /** Links that may be among the most clicked ones of an account. */
  candidates: ReadonlyMap<number, number>
  /** Clicks by day (UTC), whole days also where the period has only a part. */
  clicksOfDay: ReadonlyMap<number, number>
  /** Whether clicks of an hour that belongs to two steps are in the first of them for lack of raw clicks. */
  isApproximate: boolean
}

/** Counts of an hour that belongs to two steps. */
type Counts = { clicks: number; newVisitors: number }

const DAY = 86_400_000
const HOUR = 3_600_000

/**
 * Adds up stored days, which are those of UTC, to steps of another time zone, by their hours. Raw clicks are
 * read for hours that belong to two steps, and for the labels of days of which the period has only a part;
 * at most `mostRaw` of them. Clicks of such days without raw clicks are in no list of labels.
 */
export async function readZonedSums(
  db: Db,
  scope: Scope,
  steps: readonly ZonedStep[],
  { mostRaw, withLabels = true }: { mostRaw: number; withLabels?: boolean },
): Promise<ZonedSums> {
  const [begin, end] = [steps[0]?.from ?? 0, steps.at(-1)?.until ?? 0]
  const timeline = steps.map(({ start }) => ({ start, clicks: 0, newVisitors: 0 }))
  const stepOf = createStepFinder(steps)
  const labels = new Map<number, number>()
  const counter = createLabelCounter()
  const candidates = new Map<number, number>()
  const clicksOfDay = new Map<number, number>()
  /** Days of which the period has a part, and hours that belong to two steps. */
  const cutDays = new Set<number>()
  const cutHours = new Map<number, Counts>()

  function add(step: number, clicks: number, newVisitors: number): void {
    const own = timeline[step]
    if (!own) return
    own.clicks += clicks
    own.newVisitors += newVisitors
  }

  function addDay(row: DayRow): void {
    clicksOfDay.set(row.day, (clicksOfDay.get(row.day) ?? 0) + row.clicks)
    const [from, until] = [row.day * DAY, (row.day + 1) * DAY]
    const isWhole = from >= begin && until <= end
    if (isWhole && row.labels) unpackInto(row.labels, labels)
    const step = stepOf(from)
    if (isWhole && step === stepOf(until - 1)) add(step, row.clicks, row.visitors)
    else addHours(row, isWhole)
  }

  function addHours({ day, hours }: DayRow, isWhole: boolean): void {
    const counts = new Map<number, number>()
    if (hours) unpackInto(hours, counts)
    for (const [key, count] of counts) {
      const isNew = key >= NEW_VISITORS
      const at = day * DAY + (key % HOURS) * HOUR
      const [clicks, newVisitors] = isNew ? [0, count] : [count, 0]
      const step = stepOf(at)
      const last = stepOf(at + HOUR - 1)
      if (step === last) add(step, clicks, newVisitors)
      else {
        const cut = cutHours.get(at) ?? { clicks: 0, newVisitors: 0 }
        cutHours.set(at, cut)
        cut.clicks += clicks
        cut.newVisitors += newVisitors
      }
      if (!isWhole && (step >= 0 || last >= 0)) cutDays.add(day)
    }
  }

  function addRaw(blocks: Buffer): void {
    eachClick(blocks, ({ at, crawler, isFirst, labels: own }) => {
      if (crawler) return
      const cut = cutHours.get(Math.floor(at / HOUR) * HOUR)
      if (cut) {
        cut.clicks -= 1
        if (isFirst) cut.newVisitors -= 1
        add(stepOf(at), 1, isFirst ? 1 : 0)
      }
      if (at < begin || at >= end || !cutDays.has(Math.floor(at / DAY))) return
      counter.add(own)
    })
  }

  const days = { from: Math.floor(begin / DAY), to: Math.floor((end - 1) / DAY) }
  const period = { ...days, interval: 'hour' as const }
  const parts = { labels: withLabels }
  if (scope.linkIds) {
    for (const some of chunks(scope.linkIds))
      (await daysOfLinks(db, some, period, parts)).forEach(addDay)
  } else {
    for (const row of await accountDays(db, scope.accountId, period, parts)) {
      addDay(row)
      unpackInto(row.links, candidates)
    }
  }
  const rawDays = new Map<number, number>()
  for (const day of [...cutDays, ...Array.from(cutHours.keys(), (at) => Math.floor(at / DAY))]) {
    rawDays.set(day, clicksOfDay.get(day) ?? 0)
  }
  const raw = [...rawDays.values()].reduce((sum, clicks) => sum + clicks, 0)
  if (raw <= mostRaw) {
    const owner = scope.linkIds ? { linkIds: scope.linkIds } : { accountId: scope.accountId }
    for await (const blocks of readRawClicks(db, { ...owner, clicksOfDay: rawDays })) addRaw(blocks)
  }
  let isApproximate = false
  for (const [at, { clicks, newVisitors }] of cutHours) {
    if (clicks <= 0 && newVisitors <= 0) continue
    isApproximate = true
    add(stepOf(at), Math.max(0, clicks), Math.max(0, newVisitors))
  }
  const totals = { clicks: 0, newVisitors: 0 }
  for (const { clicks, newVisitors } of timeline) {
    totals.clicks += clicks
    totals.newVisitors += newVisitors
  }
  return {
    ...{ totals, timeline, candidates, clicksOfDay, isApproximate },
    labelsOf(kind) {
      const sums = labelsOfKind(labels, kind)
      for (const [label, clicks] of counter.labelsOf(kind)) {
        sums.set(label, (sums.get(label) ?? 0) + clicks)
      }
      return sums
    },
  }
}
