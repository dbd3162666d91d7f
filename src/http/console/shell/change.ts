import { formatCount, formatPercent } from './format-count.ts'
import { shellMessages } from './messages.ts'

/**
 * Describes the change of a total since an earlier period. `before` is the total of that period, and
 * `period` its name, such as `previous 30 days`.
 */
export function describeChange(
  { total, before }: { total: number; before: number },
  period: string,
) {
  const { change: texts } = shellMessages
  if (before === 0) return texts.none(period)
  const percent = Math.round(((total - before) / before) * 100)
  const count = formatCount(before)
  if (percent === 0) return texts.same(period, count)
  const change = `${percent > 0 ? '↑' : '↓'} ${formatPercent(Math.abs(percent) / 100)}`
  return texts.changed(change, period, count)
}
