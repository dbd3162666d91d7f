import { html, type SafeHtml } from '@remix-run/html-template'
import { t } from '../../../texts.ts'
import { describeChange } from '../shell/change.ts'
import { type Counts, formatMetric, METRICS, type Metric, readMetric } from './metrics.ts'

export type MetricsView = {
  counts: Counts
  /** The counts of the compared period and its name. */
  previousCounts?: Counts | undefined
  previousName: string
  selectedMetric: Metric
  /** The name of clicks, such as scans. Default: clicks. */
  clicksName?: string | undefined
  /** Returns the URL that shows a metric in the chart. Without it, metrics are not links. */
  hrefOf?: ((metric: Metric) => string) | undefined
}

/** Renders the metrics of a period with their changes. */
export function renderMetrics({
  counts,
  previousCounts,
  previousName,
  selectedMetric,
  clicksName,
  hrefOf,
}: MetricsView): SafeHtml {
  const renderItem = (metric: Metric) => {
    const content = html`<span class="figure-name">${(metric === 'clicks' && clicksName) || t(`analytics.metrics.${metric}`)}</span>
<strong class="figure">${formatMetric(metric, readMetric(metric, counts))}</strong>
${previousCounts ? html`<span class="small soft">${describeMetricChange(metric, counts, previousCounts, previousName)}</span>` : null}`
    const hint = t(`analytics.metricHints.${metric}`)
    return hrefOf
      ? html`<li><a href="${hrefOf(metric)}" title="${hint}"${metric === selectedMetric ? html` aria-current="true"` : null}>${content}</a></li>`
      : html`<li><div title="${hint}">${content}</div></li>`
  }
  return html`<ul class="figures" aria-label="${t('analytics.figures')}">${METRICS.map(renderItem)}</ul>`
}

/** Describes the change of a metric. For rates, and if the metric was 0, names only the previous value. */
function describeMetricChange(
  metric: Metric,
  counts: Counts,
  previousCounts: Counts,
  period: string,
): string {
  const total = readMetric(metric, counts)
  const before = readMetric(metric, previousCounts)
  if (metric !== 'rate' && before > 0) return describeChange({ total, before }, period)
  if (previousCounts.clicks === 0) return describeChange({ total: 0, before: 0 }, period)
  return t('analytics.before', { figure: formatMetric(metric, before), when: period })
}
