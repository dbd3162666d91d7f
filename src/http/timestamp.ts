/**
 * The form in which the API writes a moment: `YYYY-MM-DD HH:MM:SS` in UTC, seconds cut off.
 * Throws a RangeError for an invalid date.
 */
export function formatTimestamp(date: Date): string {
  return date
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, '')
}

/** The day of a moment in UTC, `YYYY-MM-DD`. Throws a RangeError for an invalid date. */
export function formatDate(date: Date): string {
  return date.toISOString().replace(/T.*$/, '')
}
