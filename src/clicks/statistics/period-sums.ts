import { labelsOfKind, unpackInto } from '../encoding/label-counts.ts'
import { HOURS_PER_DAY, NEW_VISITORS_OFFSET } from '../encoding/packed-counts.ts'
import { listSteps, type Period } from './period.ts'

/** A stored day of a link or an account, with the requested columns. */
export type DayRow = {
  /** Days since 1970. */
  day: number
  clicks: number
  visitors: number
  hours?: Buffer
  labels?: Buffer
}

export type TimelineStep = { start: string; clicks: number; newVisitors: number }

/** The sums of a period. Labels are numbers. */
export type Sums = {
  totals: { clicks: number; newVisitors: number }
  timeline: TimelineStep[]
  /** Returns the clicks of each label of a kind. */
  labelsOf(kind: number): Map<number, number>
}

export type PeriodSums = Sums & { add(row: DayRow): void }

/** Creates sums to which stored days are added, for the timeline and the labels of a period. */
export function createPeriodSums(period: Period): PeriodSums {
  const steps = listSteps(period)
  const stepIndexes = indexByUnit(period, steps)
  const timeline = steps.map(({ start }): TimelineStep => ({ start, clicks: 0, newVisitors: 0 }))
  const totals = { clicks: 0, newVisitors: 0 }
  const labels = new Map<number, number>()

  function add(row: DayRow): void {
    totals.clicks += row.clicks
    totals.newVisitors += row.visitors
    if (period.interval === 'hour') addHours(row)
    else addToStep(row.day, row.clicks, row.visitors)
    if (row.labels) unpackInto(row.labels, labels)
  }

  function addHours({ day, hours }: DayRow): void {
    const counts = new Map<number, number>()
    if (hours) unpackInto(hours, counts)
    for (const [hour, count] of counts) {
      if (hour < NEW_VISITORS_OFFSET) addToStep(day * HOURS_PER_DAY + hour, count, 0)
      else addToStep(day * HOURS_PER_DAY + hour - NEW_VISITORS_OFFSET, 0, count)
    }
  }

  function addToStep(unit: number, clicks: number, newVisitors: number): void {
    const step = timeline[stepIndexes.get(unit) ?? -1]
    if (!step) return
    step.clicks += clicks
    step.newVisitors += newVisitors
  }

  return { totals, timeline, add, labelsOf: (kind: number) => labelsOfKind(labels, kind) }
}

/** Returns the index of the step for each day or hour. */
function indexByUnit(
  { interval }: Period,
  steps: ReturnType<typeof listSteps>,
): Map<number, number> {
  const unit = interval === 'hour' ? 1 : HOURS_PER_DAY
  const stepIndexes = new Map<number, number>()
  for (const [index, { from, to }] of steps.entries()) {
    for (let hour = from; hour <= to; hour += unit) stepIndexes.set(hour / unit, index)
  }
  return stepIndexes
}
