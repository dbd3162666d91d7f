import { html, type SafeHtml } from '@remix-run/html-template'
import { t } from '../../../texts.ts'
import { formatCount, formatPercent } from '../shell/format.ts'

/** The metrics of a period. Each can be shown in the chart. */
export const METRICS = ['clicks', 'visitors', 'repeat', 'rate'] as const
export type Metric = (typeof METRICS)[number]

export type Counts = { clicks: number; newVisitors: number }

/** Returns a metric of these counts. A rate is in percent. */
export function readMetric(metric: Metric, { clicks, newVisitors }: Counts): number {
  switch (metric) {
    case 'clicks':
      return clicks
    case 'visitors':
      return newVisitors
    case 'repeat':
      return clicks - newVisitors
    case 'rate':
      return clicks === 0 ? 0 : Math.round((newVisitors / clicks) * 1000) / 10
    default:
      return metric satisfies never
  }
}

/** Formats the value of a metric. */
export function formatMetric(metric: Metric, value: number): string {
  return metric === 'rate' ? formatPercent(value / 100) : formatCount(value)
}

type MetricList = {
  counts: Counts
  /** The counts of the compared period. */
  previous: Counts | undefined
  previousName: string
  current: Metric
  /** The name of clicks, such as scans. Default: clicks. */
  clicksName?: string | undefined
  /** Returns the URL that shows a metric in the chart. */
  hrefOf: (metric: Metric) => string
}

/** Renders the metrics of a period with their changes. */
export function renderMetrics(list: MetricList): SafeHtml {
  const { counts, previous, previousName, current, clicksName, hrefOf } = list
  const items = METRICS.map(
    (metric) =>
      html`<li><a href="${hrefOf(metric)}" title="${t(`analytics.metricHints.${metric}`)}"${metric === current ? html` aria-current="true"` : null}><span class="figure-name">${(metric === 'clicks' && clicksName) || t(`analytics.metrics.${metric}`)}</span>
<strong class="figure">${formatMetric(metric, readMetric(metric, counts))}</strong>
${previous ? html`<span class="small soft">${renderMetricChange(metric, counts, previous, previousName)}</span>` : null}</a></li>`,
  )
  return html`<ul class="figures" aria-label="${t('analytics.figures')}">${items}</ul>`
}

/** Renders the change of a metric. For rates, and if the metric was 0, names only the previous value. */
function renderMetricChange(
  metric: Metric,
  counts: Counts,
  previous: Counts,
  period: string,
): SafeHtml | string {
  const total = readMetric(metric, counts)
  const before = readMetric(metric, previous)
  if (metric !== 'rate' && before > 0) return describeChange({ total, before }, period)
  if (previous.clicks === 0) {
    return html`<span aria-hidden="true">${NO_CHANGE}</span><span class="hidden-text">${describeChange({ total, before: 0 }, period)}</span>`
  }
  return t('analytics.before', { figure: formatMetric(metric, before), when: period })
}

/**
 * Describes the change of a total since an earlier period. `before` is the total of that period, and
 * `period` its name, such as `previous 30 days`.
 */
export function describeChange(
  { total, before }: { total: number; before: number },
  period: string,
): string {
  if (before === 0) return t('shell.change.none', { when: period })
  const count = formatCount(before)
  const change = formatChange(total, before)
  if (change === NO_CHANGE) return t('shell.change.same', { when: period, count })
  return t('shell.change.changed', { change, when: period, count })
}

/** Shown where nothing changed, or where there was nothing to compare with. */
export const NO_CHANGE = '–'
/** Percentages of smaller totals are misleading. */
const MIN_BEFORE = 20
/** Larger percentages are hard to read. */
const MAX_PERCENT = 999

/** Formats a change since an earlier period, such as `↓ 12%`, `+47` from a small total, or `×69`. */
export function formatChange(total: number, before: number): string {
  const percent = before === 0 ? 0 : Math.round(((total - before) / before) * 100)
  if (percent === 0) return NO_CHANGE
  if (before < MIN_BEFORE) {
    const difference = formatCount(Math.abs(total - before))
    return total > before ? `+${difference}` : `−${difference}`
  }
  if (percent > MAX_PERCENT) return `×${formatCount(Math.round(total / before))}`
  return `${percent > 0 ? '↑' : '↓'} ${formatPercent(Math.abs(percent) / 100)}`
}

/** Renders the note shown instead of statistics while a database server with clicks is unavailable. */
export function renderUnavailableNote(): SafeHtml {
  return html`<p class="notice" role="status">${t('shell.statisticsUnavailable')}</p>`
}
