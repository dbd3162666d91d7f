const DAY_MS = 86_400_000

/**
 * Returns the first day of the month `months` after the month of `day`, in days since 1970 (UTC).
 */
export function addMonths(day: number, months: number): number {
  const date = new Date(day * DAY_MS)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1) / DAY_MS
}

/** Returns whether a day (since 1970) is the first of its month. */
export function isFirstOfMonth(day: number): boolean {
  return addMonths(day, 0) === day
}

/**
 * Returns the number of whole months in a span, or 0 if it does not consist of whole months. The
 * last one may be the current month.
 */
export function countWholeMonths(
  { from, to }: { from: number; to: number },
  today: number,
): number {
  // A shorter span is a number of days rather than an unfinished month.
  const isUnfinished = to === today && to - from >= 28
  if (!isFirstOfMonth(from) || !(isFirstOfMonth(to + 1) || isUnfinished)) return 0
  const start = new Date(from * DAY_MS)
  const end = new Date(to * DAY_MS)
  const years = end.getUTCFullYear() - start.getUTCFullYear()
  return years * 12 + end.getUTCMonth() - start.getUTCMonth() + 1
}
