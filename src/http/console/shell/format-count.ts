import { lazy } from '../../../concurrency/lazy.ts'

// To make one takes as long as to format a hundred numbers.
const whole = lazy(() => new Intl.NumberFormat('en'))

/** A whole number as people read it: 12,345. */
export function formatCount(value: number): string {
  return whole().format(value)
}
