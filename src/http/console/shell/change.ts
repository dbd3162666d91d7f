import { formatCount } from './format-count.ts'

/** How a number compares with what it was before, such as `in the 30 days before`. */
export function changeText({ total, before }: { total: number; before: number }, when: string) {
  if (before === 0) return `None ${when}.`
  const change = Math.round(((total - before) / before) * 100)
  const words =
    change === 0
      ? 'As many as'
      : `${formatCount(Math.abs(change))} % ${change > 0 ? 'more' : 'fewer'} than`
  return `${words} ${when} (${formatCount(before)}).`
}
