import { formatCount, formatPercent } from './format-count.ts'
import { shellMessages } from './messages.ts'

/** Returns the change from an earlier number, such as the one of `previous 30 days`, as text. */
export function changeText({ total, before }: { total: number; before: number }, when: string) {
  const { change: texts } = shellMessages
  if (before === 0) return texts.none(when)
  const percent = Math.round(((total - before) / before) * 100)
  const count = formatCount(before)
  if (percent === 0) return texts.same(when, count)
  const change = `${percent > 0 ? '↑' : '↓'} ${formatPercent(Math.abs(percent) / 100)}`
  return texts.changed(change, when, count)
}
