/**
 * Formats a time for the API: `YYYY-MM-DD HH:MM:SS` in UTC, without fractions. Throws a RangeError
 * for an invalid date.
 */
export function formatTimestamp(date: Date): string {
  return date
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, '')
}

/** Formats a date in UTC, `YYYY-MM-DD`. Throws a RangeError for an invalid date. */
export function formatDate(date: Date): string {
  return date.toISOString().replace(/T.*$/, '')
}
