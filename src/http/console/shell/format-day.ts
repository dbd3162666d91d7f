import { lazy } from '../../../concurrency/lazy.ts'

const inYear = lazy(
  () => new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' }),
)
const anyYear = lazy(() => new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' }))
const withTime = lazy(
  () =>
    new Intl.DateTimeFormat('en', {
      dateStyle: 'medium',
      timeStyle: 'short',
      hourCycle: 'h23',
      timeZone: 'UTC',
    }),
)

/** Returns a day as people read it: `Nov 23`, with its year if that is another one than now. */
export function formatDay(date: Date, now: Date): string {
  return date.getUTCFullYear() === now.getUTCFullYear()
    ? inYear().format(date)
    : anyYear().format(date)
}

/** Returns a time as people read it: `Nov 23, 2026, 02:02`. */
export function formatMoment(date: Date): string {
  return withTime().format(date)
}
