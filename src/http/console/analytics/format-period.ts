import { type Period, type Span, type Step, toLocalTime } from '../../../clicks/read.ts'
import { memoizePerLanguage } from '../../../texts.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

const createFormat = (options: Intl.DateTimeFormatOptions) =>
  memoizePerLanguage(
    (language) => new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' }),
  )
const date = createFormat({ day: 'numeric', month: 'short', year: 'numeric' })
const weekday = createFormat({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' })
const dayOfMonth = createFormat({ day: 'numeric', month: 'short' })
const month = createFormat({ month: 'long', year: 'numeric' })
const shortMonth = createFormat({ month: 'short', year: '2-digit' })
const time = createFormat({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })

/** Formats a range of days: `Oct 23 – Nov 21, 2026`. */
export function formatSpan({ from, to }: Span): string {
  const start = new Date(from * DAY_MS)
  const end = new Date(to * DAY_MS)
  if (from === to) return weekday().format(start)
  // Versions of ICU differ in their spaces.
  return date().formatRange(start, end).replace(/\s/g, ' ')
}

/** Formats a day: `Nov 21, 2026`. */
export function formatDayLabel(day: number): string {
  return date().format(new Date(day * DAY_MS))
}

/** Returns the name of a step and a short name for the axis. */
export function formatStep(step: Step, period: Period): { name: string; short: string } {
  const start = new Date(step.from * HOUR_MS)
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
      return { name: formatSpan(days), short: dayOfMonth().format(start) }
    case 'month':
      return { name: month().format(start), short: shortMonth().format(start) }
    default:
      return period.interval satisfies never
  }
}

/** Returns the number of steps between two axis labels, for at most eight labels. */
export function chooseLabelInterval({ interval, from, to }: Period, count: number): number {
  const minSteps = count / 8
  if (interval !== 'hour') return Math.ceil(minSteps)
  return from === to ? 3 : 24 * Math.ceil(minSteps / 24)
}

/** Formats a time in a time zone: `Nov 23, 2026, 02:02`. */
export function formatMoment(at: Date, zone: string): string {
  const moment = new Date(toLocalTime(zone, at.getTime()))
  return `${date().format(moment)}, ${time().format(moment)}`
}
