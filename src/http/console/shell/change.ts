import { formatCount } from './format-count.ts'

/** Returns a text comparing a number with the one of `when`, such as `previous 30 days`. */
export function changeText({ total, before }: { total: number; before: number }, when: string) {
  if (before === 0) return `No clicks in the ${when}`
  const change = Math.round(((total - before) / before) * 100)
  if (change === 0) return `No change vs. ${when} (${formatCount(before)})`
  const percent = `${change > 0 ? '↑' : '↓'} ${formatCount(Math.abs(change))}%`
  return `${percent} vs. ${when} (${formatCount(before)})`
}
