import {
  type Calendar,
  type Choice,
  currentStep,
  hoursAreKept,
  type Period,
  type PeriodStatistics,
  readPeriodCounts,
  readPeriodStatistics,
  type Span,
  type Step,
  spanBefore,
  stepsOf,
  zoomInto,
} from '../../../clicks/read.ts'
import type { HttpContext } from '../../../context.ts'
import type { ChartStep, TimeChart } from '../shell/time-chart.ts'
import { labelEvery, spanText, stepText, units } from './period-words.ts'

type Counts = Awaited<ReturnType<typeof readPeriodCounts>>

/** What happened to links within a period and in the one before. */
export type Report = {
  found: PeriodStatistics
  /** `drawn` is left out where hours are asked for that are not kept so long. */
  before?: { span: string; clicks: number; newVisitors: number; drawn?: Counts['timeline'] }
}

/** Labels of each kind that a page shows. */
const SHOWN = 10

/** Reads a period of links together, and as much of the period before it as has passed of this one. */
export async function readReport(
  { db, clock }: Pick<HttpContext, 'db' | 'clock'>,
  linkIds: readonly number[],
  choice: Choice,
  calendar: Calendar,
): Promise<Report> {
  const earlier = spanBefore(choice, calendar)
  const isDrawn = earlier && (choice.interval !== 'hour' || hoursAreKept(earlier, calendar.today))
  const interval = isDrawn ? choice.interval : 'day'
  const [found, counts] = await Promise.all([
    readPeriodStatistics(db, linkIds, choice, SHOWN),
    earlier && readPeriodCounts(db, linkIds, { ...earlier, interval }),
  ])
  if (!earlier || !counts) return { found }
  const passed = choice.interval === 'hour' ? currentStep(stepsOf(choice), clock()) : -1
  return {
    found,
    before: {
      span: spanText(earlier),
      ...(isDrawn && passed >= 0 ? upTo(counts.timeline, passed) : totals(counts)),
      ...(isDrawn && { drawn: counts.timeline }),
    },
  }
}

/** The chart of a report; `imported` are the days of imported clicks, `hrefOf` says where days are shown. */
export function chartOf(
  { found, before }: Report,
  period: Period,
  {
    calendar,
    now,
    compare,
    imported,
    hrefOf,
  }: {
    calendar: Calendar
    now: Date
    compare: boolean
    imported: Span | undefined
    hrefOf: (days: { from: number; to: number }) => string
  },
): TimeChart {
  const steps = stepsOf(period)
  const open = currentStep(steps, now)
  const drawn = compare ? before?.drawn : undefined
  const shown = found.timeline.flatMap(({ clicks, newVisitors }, index): ChartStep[] => {
    const step = steps[index]
    if (!step) return []
    const closer = zoomInto(step, period, calendar)
    const state = open === -1 || index < open ? 'ended' : index === open ? 'open' : 'ahead'
    return [
      {
        ...stepText(step, period),
        clicks,
        newVisitors,
        before: drawn?.[index]?.clicks,
        href: closer && hrefOf(closer),
        imported: clicks > 0 && isWithin(step, imported),
        state,
      },
    ]
  })
  return {
    title: `Clicks (${units[period.interval].choice.toLowerCase()}), ${spanText(period)}`,
    unit: units[period.interval].head,
    steps: shown,
    every: labelEvery(period, steps.length),
  }
}

/** Whether any of a step's days is one of these. */
function isWithin({ from, to }: Step, days: Span | undefined): boolean {
  return days !== undefined && Math.floor(from / 24) <= days.to && Math.floor(to / 24) >= days.from
}

function upTo(timeline: Counts['timeline'], last: number) {
  const passed = timeline.slice(0, last + 1)
  return {
    clicks: passed.reduce((sum, step) => sum + step.clicks, 0),
    newVisitors: passed.reduce((sum, step) => sum + step.newVisitors, 0),
  }
}

function totals({ clicks, newVisitors }: Counts) {
  return { clicks, newVisitors }
}
