const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** Milliseconds before each attempt after the first one, as suggested by Standard Webhooks 1.0. */
const DELAYS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
]
const MAX_PAUSE_MS = 5 * MINUTE
const MAX_REQUESTED_PAUSE_MS = 24 * HOUR

/**
 * Returns the milliseconds until the next attempt, or undefined after the last one. Adds up to a
 * tenth, depending on `random` (between 0 and 1), so that simultaneous failures are retried at
 * different times.
 */
export function getRetryDelay(attempts: number, random: number): number | undefined {
  const delay = DELAYS[attempts - 1]
  return delay && Math.round(delay * (1 + random / 10))
}

/**
 * Returns the milliseconds for which an endpoint is paused after this many consecutive failures.
 */
export function getPause(failures: number): number {
  return Math.min(MAX_PAUSE_MS, SECOND * 2 ** failures)
}

/**
 * Returns the milliseconds that a `retry-after` header requests, at most a day. The header has
 * seconds or a date (RFC 9110, 10.2.3). Returns 0 for an invalid header.
 */
export function parseRetryAfter(header: string, now: Date): number {
  const requestedMs = /^\d{1,10}$/.test(header)
    ? Number(header) * SECOND
    : Date.parse(header) - now.getTime()
  return requestedMs > 0 ? Math.min(requestedMs, MAX_REQUESTED_PAUSE_MS) : 0
}
