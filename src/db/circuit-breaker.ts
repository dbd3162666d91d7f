import { AppError } from '../errors.ts'

/** Milliseconds without queries after a timeout, and between two attempts after that. */
const COOLDOWN_MS = 500

/**
 * Creates a circuit breaker that rejects callers immediately while the server does not respond. A
 * frozen server or a broken network does not close connections, so without it, every caller would
 * wait for a timeout. After a timeout, only one caller per `COOLDOWN_MS` gets through until a query
 * succeeds.
 */
export function createCircuitBreaker({ monotonic = () => performance.now() } = {}) {
  let isOpen = false
  let nextAttemptAt = 0
  let respondedAt = -Infinity

  return {
    /**
     * Lets the caller send a query. Throws `database_unavailable` during the cooldown.
     */
    enter(): void {
      if (!isOpen) return
      const now = monotonic()
      if (now < nextAttemptAt) throw new AppError('database_unavailable')
      nextAttemptAt = now + COOLDOWN_MS
    },

    /**
     * Records that an attempt which began at a time of `monotonic` timed out. Returns whether the
     * server did not respond to any other query since: otherwise, it is just busy.
     */
    open(startedAt = monotonic()): boolean {
      if (respondedAt > startedAt) return false
      isOpen = true
      nextAttemptAt = monotonic() + COOLDOWN_MS
      return true
    },

    /** Records a response from the server. Errors count as responses. */
    close(): void {
      isOpen = false
      respondedAt = monotonic()
    },
  }
}
