import { html, type SafeHtml } from '@remix-run/html-template'
import { t } from '../../../texts.ts'
import { withScript } from '../assets.ts'
import { formatCount, formatShort } from '../shell/format.ts'
import {
  type Counts,
  formatChange,
  formatMetric,
  type Metric,
  NO_CHANGE,
  readMetric,
} from './metrics.ts'
import { type Column, renderTable } from './table.ts'

/** A step of a chart, such as a day. */
export type ChartStep = {
  /** The step's name in the table. */
  name: string
  /** The step's name on the axis. */
  short: string
  clicks: number
  newVisitors?: number
  /** The counts of the same step of the comparison period. */
  before?: Counts | null | undefined
  /** The URL that shows this step in detail. */
  href?: string | undefined
  /** Whether some of its clicks were imported. */
  isImported?: boolean
  /** An `open` step has started but not ended. A step that is `ahead` has not started. */
  state: 'ended' | 'open' | 'ahead'
}

export type TimeChart = {
  title: string
  /** The unit of the steps as the table's heading, such as `Day (UTC)`. */
  unit: string
  steps: readonly ChartStep[]
  /** The charted metric. Default: clicks. */
  metric?: Metric
  /** The number of steps between two axis labels. By default there are at most eight labels. */
  every?: number
}

/** More steps are drawn as a line. */
const MAX_BARS = 13
/** The width of a bar in pixels, which fits on a phone. */
const BAR_WIDTH = 16
const MAX_LABELS = 8
/** Heights in pixels: above the plot, the plot, and the labels below it. */
const TOP_HEIGHT = 10
const PLOT_HEIGHT = 180
const LABEL_HEIGHT = 26
const HEIGHT = TOP_HEIGHT + PLOT_HEIGHT + LABEL_HEIGHT
/** The width of the plot's view box, which is stretched to the available width. */
const WIDTH = 1000

/**
 * Renders a metric over time as a chart, scaled from zero to the largest value, and as a table. There
 * must be at least one step. An open step is hatched or dashed. The comparison period is a pale dashed
 * line. Steps with a URL are links: in the chart by pointer, in the table by keyboard.
 */
export function renderTimeChart(chart: TimeChart): SafeHtml {
  const { title, steps, metric = 'clicks' } = chart
  const { every = Math.ceil(steps.length / MAX_LABELS) } = chart
  const isLine = steps.length > MAX_BARS
  const values = steps.map((step) => readValue(step, metric))
  const valuesBefore = steps.map(({ before }) => before && readMetric(metric, before))
  const top = Math.max(1, ...values, ...valuesBefore.map((value) => value ?? 0))
  const ticks = computeTicks(top).map((value) => ({ value, y: computeY(value, top) }))
  const toPoints = (all: readonly (number | null | undefined)[]) =>
    all.flatMap((value, index) => {
      const x = ((index + 0.5) / steps.length) * WIDTH
      return value == null ? [] : `${round(x)},${round(computeY(value, top) - TOP_HEIGHT)}`
    })
  return html`<figure class="chart">
<div class="plot" tabindex="0" role="group" aria-labelledby="chart-title"${withScript('chart')}>
<svg class="axis" width="44" height="${HEIGHT}" aria-hidden="true">${ticks.map(({ value, y }) => html`<text x="36" y="${round(y) + 4}">${formatShort(value)}</text>`)}</svg>
<svg class="drawing" width="100%" height="${HEIGHT}" role="img" aria-labelledby="chart-title chart-desc">
<title id="chart-title">${title}</title>
<desc id="chart-desc">${describeChart(steps, metric)}</desc>
<defs><pattern id="unfinished" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path class="hatch" d="M1.5 0V6"/></pattern></defs>
${ticks.map(({ y }) => html`<line class="grid" x1="0" x2="100%" y1="${round(y)}" y2="${round(y)}"/>`)}
${isLine ? null : steps.map((step, index) => renderBar(step, index, steps.length, computeY(values[index] ?? 0, top)))}
<svg y="${TOP_HEIGHT}" width="100%" height="${PLOT_HEIGHT}" viewBox="0 0 ${WIDTH} ${PLOT_HEIGHT}" preserveAspectRatio="none">${isLine ? renderLine(steps, toPoints(values)) : null}${renderPreviousLine(toPoints(valuesBefore))}</svg>
${renderAxisLabels(steps, every)}
${renderImportedMark(steps)}
</svg>
<svg class="hits" width="100%" height="${HEIGHT}" aria-hidden="true">${steps.map((_, index) => renderStepTarget(steps, index, metric))}</svg>
</div>
${renderNumbers(chart, metric)}
</figure>`
}

/** Renders a sample of the chart's open steps or of its comparison period, for a legend. */
export function renderSample(chart: TimeChart, kind: 'open' | 'before'): SafeHtml {
  const isBar = kind === 'open' && chart.steps.length <= MAX_BARS
  return html`<svg class="sample" width="24" height="12" aria-hidden="true">${isBar ? html`<rect x="6.5" y="0.5" width="11" height="11"/>` : html`<path class="${kind}" d="M1 6H23"/>`}</svg>`
}

/** Returns up to six round numbers from zero to `top`, for the axis. */
export function computeTicks(top: number): number[] {
  for (let unit = 1; ; unit *= 10) {
    const step = [1, 2, 5].map((factor) => factor * unit).find((each) => top / each <= 5)
    if (step === undefined) continue
    return Array.from({ length: Math.floor(top / step) + 1 }, (_, index) => index * step)
  }
}

/** Renders the bar of one of `count` steps, in the middle of the step's width. */
function renderBar({ state }: ChartStep, index: number, count: number, y: number): SafeHtml {
  const x = ((index + 0.5) / count) * 100
  return html`<rect class="bar${state === 'open' ? ' open' : ''}" x="${round(x)}%" width="${BAR_WIDTH}" transform="translate(-${BAR_WIDTH / 2})" rx="2" y="${round(y)}" height="${round(TOP_HEIGHT + PLOT_HEIGHT - y)}"/>`
}

/** Renders the line through the steps that have started. Its last part is dashed to an open step. */
function renderLine(steps: readonly ChartStep[], allPoints: readonly string[]): SafeHtml {
  const points = allPoints.filter((_, index) => steps[index]?.state !== 'ahead')
  const endedPoints = points.filter((_, index) => steps[index]?.state === 'ended')
  const openPoints = points.slice(Math.max(0, endedPoints.length - 1))
  const [firstX, lastX] = [points.at(0), points.at(-1)].map((point) => point?.split(',')[0])
  return html`<path class="area" d="M${firstX} ${PLOT_HEIGHT}L${points.join(' ')}L${lastX} ${PLOT_HEIGHT}Z"/>
<polyline class="stroke" points="${endedPoints.join(' ')}"/>
${endedPoints.length < points.length ? html`<polyline class="stroke open" points="${openPoints.join(' ')}"/>` : null}`
}

/** Renders the line of the comparison period. A single step is a line over the full width. */
function renderPreviousLine(points: readonly string[]): SafeHtml | null {
  const [first] = points
  if (first === undefined) return null
  const y = first.split(',')[1]
  const line = points.length === 1 ? [`0,${y}`, `${WIDTH},${y}`] : points
  return html`<polyline class="stroke before" points="${line.join(' ')}"/>`
}

/** Renders the name of every `every`th step below the chart. */
function renderAxisLabels(steps: readonly ChartStep[], every: number): SafeHtml[] {
  return steps.flatMap(({ short }, index) => {
    if (index % every !== 0) return []
    const x = round(((index + 0.5) / steps.length) * 100)
    // Every other label is hidden on narrow pages.
    const className = index % (2 * every) === 0 ? 'tick' : 'tick spare'
    return [
      html`<text class="${className}" x="${x}%" y="${TOP_HEIGHT + PLOT_HEIGHT + 20}">${short}</text>`,
    ]
  })
}

/** Renders a labeled bracket above the chart, from the first to the last step with imported clicks. */
function renderImportedMark(steps: readonly ChartStep[]): SafeHtml | null {
  const first = steps.findIndex(({ isImported }) => isImported)
  if (first === -1) return null
  const last = steps.findLastIndex(({ isImported }) => isImported)
  const from = round((first / steps.length) * 100)
  const to = round(((last + 1) / steps.length) * 100)
  // In the right half of the chart, the label might not fit after the start of the bracket.
  const label =
    from > 50
      ? html`<text class="imported at-end" x="${to}%" dx="-8" y="10">${t('shell.chart.importedClicks')}</text>`
      : html`<text class="imported" x="${from}%" dx="8" y="10">${t('shell.chart.importedClicks')}</text>`
  return html`<line class="imported" x1="${from}%" x2="${to}%" y1="6" y2="6"/><line class="imported" x1="${from}%" x2="${from}%" y1="2" y2="10"/><line class="imported" x1="${to}%" x2="${to}%" y1="2" y2="10"/>${label}`
}

/** Renders the pointer target of a step, with its link and its tooltip, which `chart.js` replaces. */
function renderStepTarget(steps: readonly ChartStep[], index: number, metric: Metric): SafeHtml {
  const step = steps[index] as ChartStep
  const count = steps.length
  const texts = [step.name, ...describeStep(step, steps[index - 1], metric)]
  const area = html`<title>${texts.join('\n')}</title><rect x="${round((index / count) * 100)}%" width="${round(100 / count)}%" height="${TOP_HEIGHT + PLOT_HEIGHT}"/>`
  return step.href === undefined
    ? html`<g>${area}</g>`
    : html`<a href="${step.href}" tabindex="-1">${area}</a>`
}

/** Renders the collapsed table with the numbers of all steps. */
function renderNumbers({ title, unit, steps }: TimeChart, metric: Metric): SafeHtml {
  const hasVisitors = steps.some(({ newVisitors }) => newVisitors !== undefined)
  const hasComparison = steps.some(({ before }) => before)
  const toColumn = (head: string, cell: (step: ChartStep) => string): Column<ChartStep> => ({
    head,
    cell,
    isNumber: true,
    unlabeled: true,
  })
  const previous = t('shell.chart.previous', { metric: t(`analytics.metricsInText.${metric}`) })
  const columns: (Column<ChartStep> | false)[] = [
    { head: unit, cell: renderStepName },
    toColumn(t('shell.chart.clicks'), ({ clicks }) => formatCount(clicks)),
    hasVisitors &&
      toColumn(t('shell.chart.visitors'), ({ newVisitors = 0 }) => formatCount(newVisitors)),
    hasOwnColumn(metric) &&
      toColumn(t(`analytics.metrics.${metric}`), (step) =>
        formatMetric(metric, readValue(step, metric)),
      ),
    hasComparison &&
      toColumn(previous, ({ before }) =>
        before ? formatMetric(metric, readMetric(metric, before)) : '–',
      ),
  ]
  const table = renderTable(
    steps,
    columns.filter((column) => column !== false),
    { className: 'values' },
  )
  return html`<details id="numbers"><summary>${t('shell.chart.table')}</summary>
<div class="numbers" tabindex="0" role="group" aria-label="${title}">${table}</div></details>`
}

function renderStepName({ name, href, state, isImported }: ChartStep): SafeHtml {
  return html`${href === undefined ? name : html`<a href="${href}">${name}</a>`}${state === 'open' ? t('shell.chart.untilNow') : ''}${isImported ? t('shell.chart.imported') : ''}`
}

/** Returns the total, the period and the highest value of a chart in words. */
function describeChart(steps: readonly ChartStep[], metric: Metric): string {
  const values = steps.map((step) => readValue(step, metric))
  const total = values.reduce((sum, value) => sum + value, 0)
  const highest = Math.max(...values)
  const step = steps[values.indexOf(highest)]?.name ?? ''
  const format = (value: number) => formatMetric(metric, value)
  return joinTexts(' ', [
    metric !== 'rate' && t('shell.chart.total', { n: format(total) }),
    t('shell.chart.span', { from: steps.at(0)?.name ?? '', to: steps.at(-1)?.name ?? '' }),
    total > 0 && t('shell.chart.most', { n: format(highest), step }),
  ])
}

/** Returns the numbers of a step in words. Without a comparison period, compares with the last step. */
function describeStep(step: ChartStep, last: ChartStep | undefined, metric: Metric): string[] {
  const { clicks, newVisitors, before, isImported, state } = step
  const format = (value: number) => formatMetric(metric, value)
  const [value, compared] = [step, before ?? last].map((each) => each && readValue(each, metric))
  const change = state === 'ended' && metric !== 'rate' && formatChange(value ?? 0, compared ?? 0)
  const reference = before ? format(compared ?? 0) : last?.short
  const texts = [
    t('shell.chart.clickCount', { n: clicks }),
    newVisitors !== undefined && t('shell.chart.visitorCount', { n: newVisitors }),
    hasOwnColumn(metric) &&
      t('shell.chart.figure', {
        metric: t(`analytics.metricsInText.${metric}`),
        value: format(readValue(step, metric)),
      }),
    change && change !== NO_CHANGE && reference
      ? t('shell.chart.change', { change, step: reference })
      : before && t('shell.chart.before', { n: format(compared ?? 0) }),
    isImported && t('shell.chart.importedClicks'),
  ]
  return texts.filter((text) => typeof text === 'string')
}

function joinTexts(
  separator: string,
  texts: readonly (string | false | null | undefined)[],
): string {
  return texts.filter(Boolean).join(separator)
}

/** Returns whether a metric is shown beside clicks and new visitors, which always are. */
function hasOwnColumn(metric: Metric): boolean {
  return metric === 'repeat' || metric === 'rate'
}

function readValue(
  { clicks, newVisitors = 0 }: Pick<ChartStep, 'clicks' | 'newVisitors'>,
  metric: Metric,
): number {
  return readMetric(metric, { clicks, newVisitors })
}

/** Returns the vertical position of a value in the chart, in pixels. */
function computeY(value: number, top: number): number {
  return TOP_HEIGHT + PLOT_HEIGHT - (value / top) * PLOT_HEIGHT
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
