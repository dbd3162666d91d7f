import type { Interval, Period, Span, Step } from '../../../clicks/read.ts'
import { lazy } from '../../../concurrency/lazy.ts'

const DAY = 86_400_000
const HOUR = 3_600_000

const format = (options: Intl.DateTimeFormatOptions) =>
  lazy(() => new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' }))
const date = format({ day: 'numeric', month: 'short', year: 'numeric' })
const weekday = format({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' })
const dayOfMonth = format({ day: 'numeric', month: 'short' })
const month = format({ month: 'long', year: 'numeric' })
const shortMonth = format({ month: 'short', year: '2-digit' })
const time = format({ hour: '2-digit', minute: '2-digit' })

/** What a step of each interval is called in a table, and what the choice of it is called. */
export const units: Readonly<Record<Interval, { head: string; choice: string }>> = {
  hour: { head: 'Hour (UTC)', choice: 'Hourly' },
  day: { head: 'Day (UTC)', choice: 'Daily' },
  week: { head: 'Week (UTC)', choice: 'Weekly' },
  month: { head: 'Month (UTC)', choice: 'Monthly' },
}

/** Days in words: `23 Oct – 21 Nov 2026`. */
export function spanText({ from, to }: Span): string {
  const [start, end] = [new Date(from * DAY), new Date(to * DAY)]
  if (from === to) return weekday().format(start)
  // The ranges of Intl are set differently by each version of its data.
  if (start.getUTCFullYear() !== end.getUTCFullYear()) {
    return `${date().format(start)} – ${date().format(end)}`
  }
  return start.getUTCMonth() === end.getUTCMonth()
    ? `${start.getUTCDate()}–${date().format(end)}`
    : `${dayOfMonth().format(start)} – ${date().format(end)}`
}

/** A step in words, and as short as an axis needs it. */
export function stepText(step: Step, period: Period): { name: string; short: string } {
  const start = new Date(step.from * HOUR)
  const days = { from: Math.floor(step.from / 24), to: Math.floor(step.to / 24) }
  switch (period.interval) {
    case 'hour':
      return {
        name: `${weekday().format(start)}, ${time().format(start)}`,
        short: period.from === period.to ? time().format(start) : dayOfMonth().format(start),
      }
    case 'day':
      return { name: weekday().format(start), short: dayOfMonth().format(start) }
    case 'week':
      return { name: spanText(days), short: dayOfMonth().format(start) }
    case 'month':
      return { name: month().format(start), short: shortMonth().format(start) }
    default:
      return period.interval satisfies never
  }
}

/** How many steps lie between two labels of an axis, so that there are eight at most. */
export function labelEvery({ interval, from, to }: Period, count: number): number {
  const least = count / 8
  if (interval !== 'hour') return Math.ceil(least)
  return from === to ? 3 : 24 * Math.ceil(least / 24)
}
