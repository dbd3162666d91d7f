import type { Db } from '../../db/pool.ts'
import { labelsOfKind, unpackInto } from '../encoding/label-counts.ts'
import type { StoredClick } from '../encoding/raw-clicks.ts'
import { visitRawClicks } from '../storage/visit-raw-clicks.ts'
import { createDaySplitter } from './day-splitter.ts'
import type { DayRow, Sums } from './period-sums.ts'
import { readDaysOfAccount, readDaysOfLinks } from './periods.queries.ts'
import { splitIntoChunks } from './periods.ts'
import { createLabelCounter } from './raw-sums.ts'
import type { ClickScope } from './scope.ts'
import type { ZonedStep } from './zone.ts'

export type ZonedSums = Sums & {
  /** The links that may be among the most clicked links of an account. */
  candidates: ReadonlyMap<number, number>
  /** Clicks by day (UTC). Includes whole days, even if the period contains only a part of them. */
  clicksOfDay: ReadonlyMap<number, number>
  /**
   * Whether clicks in an hour that belongs to two steps were assigned to the first step because
   * there are no raw clicks.
   */
  isApproximate: boolean
}

const DAY_MS = 86_400_000

/**
 * Adds up stored days (UTC) for the steps (such as hours or days) of a period in another time zone.
 * Reads raw clicks for UTC hours that span two steps, and for the labels of partial days, unless
 * there are more than `maxRaw` of them. Without raw clicks, the labels of partial days are missing.
 */
export async function readZonedSums(
  db: Db,
  scope: ClickScope,
  steps: readonly ZonedStep[],
  { maxRaw, withLabels = true }: { maxRaw: number; withLabels?: boolean },
): Promise<ZonedSums> {
  const start = steps[0]?.from ?? 0
  const end = steps.at(-1)?.until ?? 0
  const timeline = steps.map(({ start }) => ({ start, clicks: 0, newVisitors: 0 }))
  const labels = new Map<number, number>()
  const counter = createLabelCounter()
  const candidates = new Map<number, number>()
  const clicksOfDay = new Map<number, number>()
  /** Days that are only partly in the period. */
  const cutDays = new Set<number>()
  const splitter = createDaySplitter(steps, (index, { clicks, newVisitors }) => {
    const step = timeline[index]
    if (!step) return
    step.clicks += clicks
    step.newVisitors += newVisitors
  })

  function addDay(row: DayRow): void {
    clicksOfDay.set(row.day, (clicksOfDay.get(row.day) ?? 0) + row.clicks)
    const isWithin = splitter.addDay(row)
    const isWhole = row.day * DAY_MS >= start && (row.day + 1) * DAY_MS <= end
    if (isWhole && row.labels) unpackInto(row.labels, labels)
    if (isWithin && !isWhole) cutDays.add(row.day)
  }

  function addClick(click: StoredClick): void {
    splitter.addClick(click)
    const { at, crawler } = click
    if (crawler || at < start || at >= end || !cutDays.has(Math.floor(at / DAY_MS))) return
    counter.add(click.labels)
  }

  const days = { from: Math.floor(start / DAY_MS), to: Math.floor((end - 1) / DAY_MS) }
  const period = { ...days, interval: 'hour' as const }
  const options = { labels: withLabels }
  if (scope.linkIds) {
    for (const chunk of splitIntoChunks(scope.linkIds))
      (await readDaysOfLinks(db, chunk, period, options)).forEach(addDay)
  } else {
    for (const row of await readDaysOfAccount({ ...scope, db }, period, options)) {
      addDay(row)
      unpackInto(row.links, candidates)
    }
  }
  const rawDays = new Map(splitter.clicksOfCutDays)
  for (const day of cutDays) rawDays.set(day, clicksOfDay.get(day) ?? 0)
  const rawClicks = [...rawDays.values()].reduce((sum, clicks) => sum + clicks, 0)
  if (rawClicks <= maxRaw) await visitRawClicks(db, { ...scope, clicksOfDay: rawDays }, addClick)
  const isApproximate = splitter.addRemaining()
  const totals = { clicks: 0, newVisitors: 0 }
  for (const { clicks, newVisitors } of timeline) {
    totals.clicks += clicks
    totals.newVisitors += newVisitors
  }
  return {
    totals,
    timeline,
    candidates,
    clicksOfDay,
    isApproximate,
    labelsOf(kind) {
      const sums = labelsOfKind(labels, kind)
      for (const [label, clicks] of counter.labelsOf(kind)) {
        sums.set(label, (sums.get(label) ?? 0) + clicks)
      }
      return sums
    },
  }
}
