const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** Milliseconds before each attempt after the first, as Standard Webhooks 1.0 suggests. */
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
 * Returns the milliseconds until the next attempt, or undefined after the last. Adds up to a tenth,
 * by `random` (from 0 to 1), so that simultaneous failures are not retried simultaneously.
 */
export function retryDelay(attempts: number, random: number): number | undefined {
  const delay = DELAYS[attempts - 1]
  return delay && Math.round(delay * (1 + random / 10))
}

/** Returns the milliseconds to pause an endpoint after this many consecutive failures. */
export function pauseAfter(failures: number): number {
  return Math.min(MAX_PAUSE_MS, SECOND * 2 ** Math.min(failures, 20))
}

/**
 * Returns the milliseconds that a `retry-after` header requests, in seconds or as a date (RFC 9110,
 * 10.2.3), at most a day, or 0 for an invalid header.
 */
export function wishedDelay(header: string, now: Date): number {
  const wished = /^\d{1,10}$/.test(header)
    ? Number(header) * SECOND
    : Date.parse(header) - now.getTime()
  return wished > 0 ? Math.min(wished, MAX_REQUESTED_PAUSE_MS) : 0
}
