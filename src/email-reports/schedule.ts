import { startOfDay, toLocalTime } from '../clicks/read.ts'

export const FREQUENCIES = ['weekly', 'monthly'] as const
export type Frequency = (typeof FREQUENCIES)[number]

/** Days since 1970, both inclusive. */
type Days = { from: number; to: number }

const DAY_MS = 86_400_000
/** The local time of day at which reports are sent. */
const SEND_TIME_MS = 7 * 3_600_000

/** Returns the first day (since 1970) after the last period whose report is due at `now`. */
export function findLastPeriodEnd(frequency: Frequency, zone: string, now: number): number {
  let day = getLocalDay(zone, now)
  while (!isPeriodStart(frequency, day) || startOfDay(zone, day) + SEND_TIME_MS > now) day -= 1
  return day
}

/** Returns when the first report after `now` is due. */
export function findNextReportTime(frequency: Frequency, zone: string, now: number): Date {
  let day = getLocalDay(zone, now)
  while (!isPeriodStart(frequency, day) || startOfDay(zone, day) + SEND_TIME_MS <= now) day += 1
  return new Date(startOfDay(zone, day) + SEND_TIME_MS)
}

/** Returns the week or month that ends before a day, and the one before it. */
export function getPeriodsBefore(
  frequency: Frequency,
  end: number,
): { period: Days; before: Days } {
  const start = getPreviousStart(frequency, end)
  return {
    period: { from: start, to: end - 1 },
    before: { from: getPreviousStart(frequency, start), to: start - 1 },
  }
}

/**
 * Returns whether a week or month starts on a day. Weeks start on Monday (ISO 8601). 1970 started
 * on a Thursday.
 */
function isPeriodStart(frequency: Frequency, day: number): boolean {
  return frequency === 'weekly' ? (day + 3) % 7 === 0 : new Date(day * DAY_MS).getUTCDate() === 1
}

function getPreviousStart(frequency: Frequency, start: number): number {
  if (frequency === 'weekly') return start - 7
  const date = new Date(start * DAY_MS)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - 1, 1) / DAY_MS
}

function getLocalDay(zone: string, time: number): number {
  return Math.floor(toLocalTime(zone, time) / DAY_MS)
}
