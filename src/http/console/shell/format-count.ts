import { lazy } from '../../../concurrency/lazy.ts'

// Cached: creating a formatter takes as long as formatting a hundred numbers.
const whole = lazy(() => new Intl.NumberFormat('en'))

/** Formats a whole number: 12,345. */
export function formatCount(value: number): string {
  return whole().format(value)
}
