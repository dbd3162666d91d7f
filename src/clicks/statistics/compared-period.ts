import { invalid } from '../../errors.ts'
import type { Period } from './period.ts'

export const comparisons = ['previous', 'year'] as const
export type ComparisonName = (typeof comparisons)[number]

const DAY_MS = 86_400_000

/**
 * Parses the parameter that selects the period to compare with. Returns undefined if it is absent
 * or empty.
 *
 * @throws AppError `invalid_input` naming `compare`
 */
export function readComparison(value: string | undefined): ComparisonName | undefined {
  if (!value) return undefined
  const name = comparisons.find((each) => each === value)
  if (!name) throw invalid('compare', 'one_of', { choices: comparisons.join(', ') })
  return name
}

/**
 * Returns the preceding period of the same length, or the same days a year earlier.
 *
 * @throws AppError `invalid_input` naming `compare` if that period starts before 1970
 */
export function resolveComparedPeriod(
  { from, to, interval }: Period,
  name: ComparisonName,
): Period {
  const compared =
    name === 'year'
      ? { from: subtractYear(from), to: subtractYear(to), interval }
      : { from: from - (to - from + 1), to: from - 1, interval }
  if (compared.from < 0) throw invalid('compare', 'before_1970')
  return compared
}

/** Returns the same day a year earlier. February 29 becomes February 28. */
function subtractYear(day: number): number {
  const date = new Date(day * DAY_MS)
  const year = date.getUTCFullYear() - 1
  const month = date.getUTCMonth()
  const lastOfMonth = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  return Date.UTC(year, month, Math.min(date.getUTCDate(), lastOfMonth)) / DAY_MS
}
