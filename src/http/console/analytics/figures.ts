import { html, type SafeHtml } from '@remix-run/html-template'
import { describeChange } from '../shell/change.ts'
import { analyticsMessages as messages } from './messages.ts'
import { type Counts, formatMetric, METRICS, type Metric, readMetric } from './metrics.ts'

export type Figures = {
  now: Counts
  /** The counts of the compared period and its name. */
  before?: Counts | undefined
  beforeName: string
  current: Metric
  /** Another name for clicks, such as scans. */
  clicksName?: string | undefined
  hrefOf?: ((metric: Metric) => string) | undefined
}

/** Renders the metrics of a period. Each is a link that shows it in the chart. */
export function renderFigures({
  now,
  before,
  beforeName,
  current,
  clicksName,
  hrefOf,
}: Figures): SafeHtml {
  const renderItem = (metric: Metric) => {
    const content = html`<span class="figure-name">${(metric === 'clicks' && clicksName) || messages.metrics[metric]}</span>
<strong class="figure">${formatMetric(metric, readMetric(metric, now))}</strong>
${before ? html`<span class="small soft">${describeMetricChange(metric, now, before, beforeName)}</span>` : null}`
    const hint = messages.metricHints[metric]
    return hrefOf
      ? html`<li><a href="${hrefOf(metric)}" title="${hint}"${metric === current ? html` aria-current="true"` : null}>${content}</a></li>`
      : html`<li><div title="${hint}">${content}</div></li>`
  }
  return html`<ul class="figures" aria-label="${messages.figures}">${METRICS.map(renderItem)}</ul>`
}

/** Formats the change of a metric. Rates change by percentage points. */
function describeMetricChange(metric: Metric, now: Counts, before: Counts, period: string): string {
  const total = readMetric(metric, now)
  const earlier = readMetric(metric, before)
  if (metric !== 'rate' && earlier > 0) return describeChange({ total, before: earlier }, period)
  if (before.clicks === 0) return describeChange({ total: 0, before: 0 }, period)
  return messages.before
    .replace('{figure}', formatMetric(metric, earlier))
    .replace('{when}', period)
}
