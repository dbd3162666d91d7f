import { t } from '../../../texts.ts'
import { formatCount, formatPercent } from './format-count.ts'

/**
 * Describes the change of a total since an earlier period. `before` is the total of that period, and
 * `period` its name, such as `previous 30 days`.
 */
export function describeChange(
  { total, before }: { total: number; before: number },
  period: string,
) {
  if (before === 0) return t('shell.change.none', { when: period })
  const percent = Math.round(((total - before) / before) * 100)
  const count = formatCount(before)
  if (percent === 0) return t('shell.change.same', { when: period, count })
  const change = `${percent > 0 ? '↑' : '↓'} ${formatPercent(Math.abs(percent) / 100)}`
  return t('shell.change.changed', { change, when: period, count })
}
