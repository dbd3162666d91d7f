import { invalid } from '../../errors.ts'

export const intervals = ['hour', 'day', 'week', 'month'] as const
export type Interval = (typeof intervals)[number]

/** A span of whole days (UTC), and the interval of its steps. */
export type Period = {
  /** Days since 1970, both inclusive. */
  from: number
  to: number
  interval: Interval
}

/**
 * A step of a period: its first day or hour as text, and its range of hours since 1970, both
 * inclusive.
 */
export type Step = { start: string; from: number; to: number }

export type PeriodQuery = {
  from?: string | undefined
  to?: string | undefined
  interval?: string | undefined
}

const DAY_MS = 86_400_000
const HOURS_PER_DAY = 24
const DEFAULT_DAYS = 30
/** The maximum number of steps if the interval is chosen by default. */
const PREFERRED_STEPS = 100
/** The maximum number of days for each interval. */
export const MAX_DAYS: Record<Interval, number> = {
  hour: 7,
  day: 400,
  week: 7 * 600,
  month: 366 * 100,
}
/** The number of days, including today, for which hourly clicks are available. */
export const HOURLY_DAYS = 35

/** Returns the day of a moment (UTC), in days since 1970. */
export function dayOf(at: Date): number {
  return Math.floor(at.getTime() / DAY_MS)
}

/** Formats a day as `YYYY-MM-DD`. */
export function formatDay(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10)
}

/**
 * Parses the span and the interval. The default span is the last 30 days. The default interval is
 * the finest of day, week and month that results in at most 100 steps.
 *
 * @throws AppError `invalid_input` naming `from`, `to` or `interval`
 */
export function readPeriod(query: PeriodQuery, now: Date): Period {
  const today = dayOf(now)
  const to = readDay('to', query.to) ?? today
  const from = readDay('from', query.from) ?? to - DEFAULT_DAYS + 1
  if (from > to) throw invalid('from', 'not_after_to')
  const interval = readInterval(query.interval) ?? chooseInterval(from, to)
  if (to - from + 1 > MAX_DAYS[interval]) {
    throw invalid('interval', 'span_too_long', { interval, days: MAX_DAYS[interval] })
  }
  if (interval === 'hour' && from <= today - HOURLY_DAYS) {
    throw invalid('from', 'hourly_too_early', { days: HOURLY_DAYS })
  }
  return { from, to, interval }
}

/**
 * Returns all steps of a period in order. The first and the last one may be shortened to fit the
 * period.
 */
export function listSteps({ from, to, interval }: Period): Step[] {
  const steps: Step[] = []
  if (interval === 'hour') {
    for (let hour = from * HOURS_PER_DAY; hour < (to + 1) * HOURS_PER_DAY; hour += 1) {
      const start = `${formatDay(Math.floor(hour / HOURS_PER_DAY))} ${String(hour % HOURS_PER_DAY).padStart(2, '0')}`
      steps.push({ start: `${start}:00:00`, from: hour, to: hour })
    }
    return steps
  }
  for (let day = from; day <= to; ) {
    const next = Math.min(to + 1, startOfNextStep(day, interval))
    steps.push({ start: formatDay(day), from: day * HOURS_PER_DAY, to: next * HOURS_PER_DAY - 1 })
    day = next
  }
  return steps
}

/**
 * Returns the first day of the step that follows the step of `day`. Weeks start on Monday (ISO
 * 8601).
 */
function startOfNextStep(day: number, interval: Exclude<Interval, 'hour'>): number {
  if (interval === 'day') return day + 1
  // 1970 began on a Thursday.
  if (interval === 'week') return day + 7 - ((day + 3) % 7)
  const date = new Date(day * DAY_MS)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) / DAY_MS
}

function chooseInterval(from: number, to: number): Interval {
  const fitting = (['day', 'week'] as const).find(
    (interval) => listSteps({ from, to, interval }).length <= PREFERRED_STEPS,
  )
  return fitting ?? 'month'
}

function readInterval(value: string | undefined): Interval | undefined {
  if (value === undefined || value === '') return undefined
  const interval = intervals.find((name) => name === value)
  if (!interval) throw invalid('interval', 'one_of', { choices: intervals.join(', ') })
  return interval
}

/**
 * Parses a date from 1970 to 2999 to days since 1970. Returns undefined if it is absent or empty.
 *
 * @throws AppError `invalid_input` naming `field`
 */
function readDay(field: string, value: string | undefined): number | undefined {
  if (value === undefined || value === '') return undefined
  const at = /^(?:19[7-9]|2\d\d)\d-\d\d-\d\d$/.test(value) ? Date.parse(value) : Number.NaN
  const day = at / DAY_MS
  if (Number.isNaN(at) || formatDay(day) !== value) {
    throw invalid(field, 'date_form')
  }
  return day
}
