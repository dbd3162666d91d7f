import {
  type Choice,
  formatDay,
  type StatisticsView,
  type Step,
  toLocalTime,
  zoomInto,
} from '../../../clicks/read.ts'
import { t } from '../../../texts.ts'
import type { ChartStep, TimeChart } from '../kit/chart.ts'
import type { Counts } from '../kit/metrics.ts'
import { chooseLabelInterval, formatSpan, formatStep } from './format.ts'
import type { PageState } from './state.ts'
import type { PageStatistics } from './statistics.ts'

const HOUR_MS = 3_600_000

/** Returns the chart of the selected metric. */
export function createChart(pageState: PageState, statistics: PageStatistics): TimeChart {
  const { choice, metric, compare, calendar, buildHref, subject } = pageState
  const unfinishedIndex = findUnfinishedStep(pageState, statistics)
  // With several links, days with imported clicks may also have other clicks.
  const imported = subject.scope.linkIds?.length === 1 ? statistics.imported : undefined
  const steps = listTimelineSteps(statistics, choice).map((step, index): ChartStep => {
    const { clicks = 0, newVisitors = 0, comparison } = statistics.timeline[index] ?? {}
    const zoomedChoice = zoomInto(step, choice, calendar)
    return {
      ...formatStep(step, choice),
      clicks,
      newVisitors,
      before: compare && comparison,
      href: zoomedChoice && buildHref({ choice: zoomedChoice }),
      isImported:
        imported !== undefined &&
        clicks > 0 &&
        step.from / 24 < imported.to + 1 &&
        step.to / 24 >= imported.from,
      state: getStepState(index, unfinishedIndex),
    }
  })
  const title = t('analytics.chartTitle', {
    metric: t(`analytics.metrics.${metric}`),
    interval: t(`periods.intervals.${choice.interval}`).toLowerCase(),
    span: formatSpan(choice),
  })
  return {
    title,
    unit: t(`periods.units.${choice.interval}`),
    steps,
    metric,
    every: chooseLabelInterval(choice, steps.length),
  }
}

function getStepState(index: number, unfinishedIndex: number): ChartStep['state'] {
  if (unfinishedIndex === -1 || index < unfinishedIndex) return 'ended'
  return index === unfinishedIndex ? 'open' : 'ahead'
}

/**
 * Returns the counts of the compared period, or undefined without a comparison. For a period by hour
 * that ends today, counts only up to the current hour.
 */
export function findPreviousCounts(
  pageState: PageState,
  statistics: PageStatistics,
): Counts | undefined {
  const { comparison, timeline } = statistics
  if (!comparison || pageState.choice.interval !== 'hour') return comparison
  const unfinishedIndex = findUnfinishedStep(pageState, statistics)
  if (unfinishedIndex === -1) return comparison
  const steps = timeline.slice(0, unfinishedIndex + 1).map((step) => step.comparison)
  return {
    clicks: steps.reduce((sum, step) => sum + (step?.clicks ?? 0), 0),
    newVisitors: steps.reduce((sum, step) => sum + (step?.newVisitors ?? 0), 0),
  }
}

/** Returns the index of the unfinished step, or -1 if the period has ended. */
function findUnfinishedStep(
  { choice, zone, now }: PageState,
  { timeline }: StatisticsView,
): number {
  const local = new Date(toLocalTime(zone, now.getTime())).toISOString()
  if (formatDay(choice.to) < local.slice(0, 10)) return -1
  const text = local.slice(0, 19).replace('T', ' ')
  return timeline.findLastIndex(({ start }) => start <= text)
}

/** Returns the steps with their first and last hour, counted from 1970 in local time. */
function listTimelineSteps({ timeline }: StatisticsView, { interval, to }: Choice): Step[] {
  const starts = timeline.map(({ start }) => readHour(start))
  return timeline.map(({ start }, index) => {
    const from = starts[index] as number
    const next = starts[index + 1] ?? (to + 1) * 24
    return { start, from, to: interval === 'hour' ? from : next - 1 }
  })
}

function readHour(start: string): number {
  const [day = '', time = '00:00:00'] = start.split(' ')
  return Date.parse(`${day}T${time}Z`) / HOUR_MS
}
