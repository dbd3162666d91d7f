import {
  type Choice,
  formatDay,
  type StatisticsView,
  type Step,
  toLocalTime,
  zoomInto,
} from '../../../clicks/read.ts'
import { t } from '../../../texts.ts'
import type { ChartMetric, ChartStep, TimeChart } from '../shell/time-chart.ts'
import { chooseLabelInterval, formatSpan, formatStep } from './format-period.ts'
import { type Counts, formatMetric, type Metric, readMetric } from './metrics.ts'
import type { PageState, PageStatistics } from './read.ts'

const HOUR_MS = 3_600_000

/** Returns the chart of the selected metric. */
export function createChart(
  pageState: PageState,
  statistics: PageStatistics,
  now: Date,
  isLinked = true,
): TimeChart {
  const { state, calendar, buildHref, subject } = pageState
  const { choice, metric, zone } = state
  const unfinishedIndex = findUnfinishedStep(statistics, choice, now, zone)
  const showsComparison = state.compare !== undefined
  // With several links, days with imported clicks may also have other clicks.
  const imported = subject.scope.linkIds?.length === 1 ? statistics.imported : undefined
  const steps = listTimelineSteps(statistics, choice).map((step, index): ChartStep => {
    const { clicks, newVisitors, comparison } = statistics.timeline[
      index
    ] as (typeof statistics.timeline)[0]
    const zoomedChoice = zoomInto(step, choice, calendar)
    const isImported =
      imported && step.from / 24 < imported.to + 1 && step.to / 24 >= imported.from && clicks > 0
    return {
      ...formatStep(step, choice),
      clicks,
      newVisitors,
      value: readMetric(metric, { clicks, newVisitors }),
      before: showsComparison && comparison ? readMetric(metric, comparison) : undefined,
      href: isLinked && zoomedChoice ? buildHref({ choice: zoomedChoice }) : undefined,
      isImported: Boolean(isImported),
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
    metric: createChartMetric(metric),
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
  { state: { choice, zone } }: PageState,
  statistics: PageStatistics,
  now: Date,
): Counts | undefined {
  if (!statistics.comparison) return undefined
  const unfinishedIndex =
    choice.interval === 'hour' ? findUnfinishedStep(statistics, choice, now, zone) : -1
  if (unfinishedIndex === -1) return statistics.comparison
  const sums = { clicks: 0, newVisitors: 0 }
  for (const { comparison } of statistics.timeline.slice(0, unfinishedIndex + 1)) {
    sums.clicks += comparison?.clicks ?? 0
    sums.newVisitors += comparison?.newVisitors ?? 0
  }
  return sums
}

/** Returns whether the period is shown by hour and ends today, so that it may include future hours. */
export function isTodayByHour({ state: { choice }, calendar }: PageState): boolean {
  return choice.interval === 'hour' && choice.to === calendar.today
}

function createChartMetric(metric: Metric): ChartMetric {
  return {
    name: t(`analytics.metrics.${metric}`),
    nameInText: t(`analytics.metricsInText.${metric}`),
    hasOwnColumn: metric === 'repeat' || metric === 'rate',
    isSum: metric !== 'rate',
    format: (value) => formatMetric(metric, value),
  }
}

/** Returns the index of the unfinished step, or -1 if the period has ended. */
function findUnfinishedStep(
  { timeline }: StatisticsView,
  { to }: Choice,
  now: Date,
  zone: string,
): number {
  const local = toLocalTime(zone, now.getTime())
  if (formatDay(to) < formatDay(Math.floor(local / (24 * HOUR_MS)))) return -1
  const text = new Date(local).toISOString().slice(0, 19).replace('T', ' ')
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
