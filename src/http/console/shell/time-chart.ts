import { html, type SafeHtml } from '@remix-run/html-template'
import { t } from '../../../texts.ts'
import { formatCount, formatShort } from './format-count.ts'

/** A step of a chart, such as a day. */
export type ChartStep = {
  /** The step's name in the table. */
  name: string
  /** The step's name on the axis. */
  short: string
  clicks: number
  newVisitors?: number
  /** The value of the charted metric. Default: clicks. */
  value?: number
  /** The value in the same step of the comparison period. */
  before?: number | undefined
  /** The URL that shows this step in detail. */
  href?: string | undefined
  /** Whether some of its clicks were imported. */
  isImported?: boolean
  /** An `open` step has started but not ended. A step that is `ahead` has not started. */
  state: 'ended' | 'open' | 'ahead'
}

export type ChartMetric = {
  name: string
  /** The name within a sentence. */
  nameInText: string
  /** Whether the table has a column for it, beside clicks and new visitors. */
  hasOwnColumn?: boolean
  /** Whether the values of the steps add up to a total. */
  isSum: boolean
  format: (value: number) => string
}

export type TimeChart = {
  title: string
  /** The unit of the steps as the table's heading, such as `Day (UTC)`. */
  unit: string
  steps: readonly ChartStep[]
  /** The charted metric. Default: clicks. */
  metric?: ChartMetric
  /** The number of steps between two axis labels. By default there are at most eight labels. */
  every?: number
  /** By default, bars for up to 31 steps and a line for more. */
  form?: 'bars' | 'line'
}
const clicksMetric: ChartMetric = {
  get name() {
    return t('shell.chart.clicks')
  },
  get nameInText() {
    return t('analytics.metricsInText.clicks')
  },
  isSum: true,
  format: formatCount,
}
const MAX_BARS = 31
const MAX_LABELS = 8
/** Heights in pixels: above the plot, the plot, and the labels below it. */
const TOP_HEIGHT = 10
const PLOT_HEIGHT = 180
const LABEL_HEIGHT = 26
/** The width of the plot's view box, which is stretched to the available width. */
const WIDTH = 1000

/**
 * Renders a metric over time as a chart, scaled from zero to the largest value, and as a table. There
 * must be at least one step. An open step is hatched or dashed. The comparison period is a pale dashed
 * line. Steps with a URL are links: in the chart by pointer, in the table by keyboard.
 */
export function renderTimeChart(chart: TimeChart): SafeHtml {
  const { title, steps, every, form, metric = clicksMetric } = chart
  const top = Math.max(1, ...steps.flatMap((step) => [getValue(step), step.before ?? 0]))
  const isBars = (form ?? (steps.length > MAX_BARS ? 'line' : 'bars')) === 'bars'
  const height = TOP_HEIGHT + PLOT_HEIGHT + LABEL_HEIGHT
  return html`<figure class="chart">
<div class="plot">
<svg class="axis" width="44" height="${height}" aria-hidden="true">${computeTicks(top).map(
    (value) =>
      html`<text x="36" y="${round(computeY(value, top)) + 4}">${formatShort(value)}</text>`,
  )}</svg>
<svg class="drawing" width="100%" height="${height}" role="img" aria-labelledby="chart-title chart-desc">
<title id="chart-title">${title}</title>
<desc id="chart-desc">${describeChart(steps, metric)}</desc>
<defs><pattern id="unfinished" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path class="hatch" d="M1.5 0V6"/></pattern></defs>
${computeTicks(top).map((value) => renderGridLine(round(computeY(value, top))))}
${isBars ? steps.map((step, index) => renderBar(step, index, steps.length, top)) : null}
<svg y="${TOP_HEIGHT}" width="100%" height="${PLOT_HEIGHT}" viewBox="0 0 ${WIDTH} ${PLOT_HEIGHT}" preserveAspectRatio="none">${[
    isBars ? null : renderLine(steps, top),
    renderPreviousLine(steps, top),
  ]}</svg>
${renderAxisLabels(steps, every ?? Math.ceil(steps.length / MAX_LABELS))}
${renderImportedMark(steps.map(({ isImported = false }) => isImported))}
</svg>
<svg class="hits" width="100%" height="${height}" aria-hidden="true">${steps.map((step, index) => renderStepTarget(step, index, steps.length, metric))}</svg>
</div>
${renderNumberTable(chart)}
</figure>`
}

/** Returns up to six round numbers from zero to `top`, for the axis. */
export function computeTicks(top: number): number[] {
  for (let unit = 1; ; unit *= 10) {
    const step = [1, 2, 5].map((factor) => factor * unit).find((each) => top / each <= 5)
    if (step === undefined) continue
    return Array.from({ length: Math.floor(top / step) + 1 }, (_, index) => index * step)
  }
}

function renderGridLine(y: number): SafeHtml {
  return html`<line class="grid" x1="0" x2="100%" y1="${y}" y2="${y}"/>`
}

/** Renders the bar of one of `count` steps. It takes the middle 70% of the step's width. */
function renderBar(step: ChartStep, index: number, count: number, top: number): SafeHtml {
  const x = ((index + 0.15) / count) * 100
  const width = (0.7 / count) * 100
  const y = computeY(getValue(step), top)
  return html`<rect class="bar${step.state === 'open' ? ' open' : ''}" x="${round(x)}%" width="${round(width)}%" y="${round(y)}" height="${round(TOP_HEIGHT + PLOT_HEIGHT - y)}"/>`
}

/** Renders the line through the steps that have started. Its last part is dashed to an open step. */
function renderLine(steps: readonly ChartStep[], top: number): SafeHtml {
  const startedSteps = steps.filter(({ state }) => state !== 'ahead')
  const points = startedSteps.map((step, index) =>
    formatPoint(getValue(step), index, steps.length, top),
  )
  const endedPoints = points.slice(0, startedSteps.filter(({ state }) => state === 'ended').length)
  const openPoints = points.slice(Math.max(0, endedPoints.length - 1))
  const [firstX, lastX] = [points.at(0), points.at(-1)].map((point) => point?.split(',')[0])
  return html`<path class="area" d="M${firstX} ${PLOT_HEIGHT}L${points.join(' ')}L${lastX} ${PLOT_HEIGHT}Z"/>
<polyline class="stroke" points="${endedPoints.join(' ')}"/>
${endedPoints.length < points.length ? html`<polyline class="stroke open" points="${openPoints.join(' ')}"/>` : null}`
}

/** Renders the line of the comparison period, or returns null without one. */
function renderPreviousLine(steps: readonly ChartStep[], top: number): SafeHtml | null {
  const points = steps.flatMap(({ before }, index) =>
    before === undefined ? [] : [formatPoint(before, index, steps.length, top)],
  )
  const [firstPoint] = points
  if (firstPoint === undefined) return null
  const [, firstY] = firstPoint.split(',')
  // A single step is drawn as a horizontal line over the full width.
  const linePoints = points.length === 1 ? [`0,${firstY}`, `${WIDTH},${firstY}`] : points
  return html`<polyline class="stroke before" points="${linePoints.join(' ')}"/>`
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

/** Renders the pointer target of a step, with its tooltip and link. */
function renderStepTarget(
  step: ChartStep,
  index: number,
  count: number,
  metric: ChartMetric,
): SafeHtml {
  const area = html`<title>${step.name}: ${describeStep(step, metric)}</title><rect x="${round((index / count) * 100)}%" width="${round(100 / count)}%" height="${TOP_HEIGHT + PLOT_HEIGHT}"/>`
  return step.href === undefined
    ? html`<g>${area}</g>`
    : html`<a href="${step.href}" tabindex="-1">${area}</a>`
}

/** Renders the collapsed table with the numbers of all steps. */
function renderNumberTable({ title, unit, steps, metric = clicksMetric }: TimeChart): SafeHtml {
  const hasVisitors = steps.some(({ newVisitors }) => newVisitors !== undefined)
  const hasComparison = steps.some(({ before }) => before !== undefined)
  const renderCell = (value: number | undefined, format = formatCount) =>
    html`<td class="number">${value === undefined ? '–' : format(value)}</td>`
  const renderHead = (name: string) => html`<th scope="col" class="number">${name}</th>`
  const rows = steps.map(
    (step) =>
      html`<tr><th scope="row">${step.href === undefined ? step.name : html`<a href="${step.href}">${step.name}</a>`}${step.state === 'open' ? t('shell.chart.untilNow') : ''}${step.isImported ? t('shell.chart.imported') : ''}</th>${[
        renderCell(step.clicks),
        hasVisitors ? renderCell(step.newVisitors) : null,
        metric.hasOwnColumn ? renderCell(getValue(step), metric.format) : null,
        hasComparison ? renderCell(step.before, metric.format) : null,
      ]}</tr>`,
  )
  return html`<details id="numbers"><summary>${t('shell.chart.table')}</summary>
<div class="numbers" tabindex="0" role="group" aria-label="${title}"><table>
<thead><tr><th scope="col">${unit}</th>${[
    renderHead(t('shell.chart.clicks')),
    hasVisitors ? renderHead(t('shell.chart.visitors')) : null,
    metric.hasOwnColumn ? renderHead(metric.name) : null,
    hasComparison ? renderHead(t('shell.chart.previous', { metric: metric.nameInText })) : null,
  ]}</tr></thead>
<tbody>${rows}</tbody>
</table></div></details>`
}

/** Returns the total, the period and the highest value of a chart in words. */
function describeChart(steps: readonly ChartStep[], metric: ChartMetric): string {
  const total = steps.reduce((sum, step) => sum + getValue(step), 0)
  const highest = steps.reduce((best, step) => (getValue(step) > getValue(best) ? step : best))
  const span = t('shell.chart.span', {
    from: steps.at(0)?.name ?? '',
    to: steps.at(-1)?.name ?? '',
  })
  const parts = [
    metric.isSum ? t('shell.chart.total', { n: metric.format(total) }) : undefined,
    span,
    total === 0
      ? undefined
      : t('shell.chart.most', { n: metric.format(getValue(highest)), step: highest.name }),
  ]
  return parts.filter((part) => part !== undefined).join(' ')
}

/** Returns the numbers of a step in words. */
function describeStep(step: ChartStep, metric: ChartMetric): string {
  const { clicks, newVisitors, before, isImported } = step
  const parts = [
    t('shell.chart.clickCount', { n: clicks }),
    newVisitors === undefined ? undefined : t('shell.chart.visitorCount', { n: newVisitors }),
    metric.hasOwnColumn
      ? t('shell.chart.figure', { metric: metric.nameInText, value: metric.format(getValue(step)) })
      : undefined,
    before === undefined ? undefined : t('shell.chart.before', { n: metric.format(before) }),
    isImported ? t('shell.chart.importedClicks') : undefined,
  ]
  return parts.filter((part) => part !== undefined).join(', ')
}

/** Returns the value of a step for the charted metric. */
function getValue({ clicks, value = clicks }: ChartStep): number {
  return value
}

/** Returns the coordinates of a value in the plot's view box, such as `250,90`. */
function formatPoint(value: number, index: number, count: number, top: number): string {
  return `${round(((index + 0.5) / count) * WIDTH)},${round(computeY(value, top) - TOP_HEIGHT)}`
}

/** Returns the vertical position of a value in the chart, in pixels. */
function computeY(value: number, top: number): number {
  return TOP_HEIGHT + PLOT_HEIGHT - (value / top) * PLOT_HEIGHT
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}

/**
 * Renders a labeled bracket above a chart, from its first to its last step with imported clicks.
 * Returns null if there are none. `isImported` has a value per step.
 */
function renderImportedMark(isImported: readonly boolean[]): SafeHtml | null {
  const first = isImported.indexOf(true)
  if (first === -1) return null
  const toPercent = (step: number) => Math.round((step / isImported.length) * 10_000) / 100
  const from = toPercent(first)
  const to = toPercent(isImported.lastIndexOf(true) + 1)
  // In the right half of the chart, the label might not fit after the start of the bracket.
  const label =
    from > 50
      ? html`<text class="imported at-end" x="${to}%" dx="-8" y="10">${t('shell.chart.importedClicks')}</text>`
      : html`<text class="imported" x="${from}%" dx="8" y="10">${t('shell.chart.importedClicks')}</text>`
  return html`<line class="imported" x1="${from}%" x2="${to}%" y1="6" y2="6"/><line class="imported" x1="${from}%" x2="${from}%" y1="2" y2="10"/><line class="imported" x1="${to}%" x2="${to}%" y1="2" y2="10"/>${label}`
}
