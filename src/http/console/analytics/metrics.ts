import { formatCount, formatPercent } from '../shell/format-count.ts'

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
