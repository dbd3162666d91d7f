import { AppError } from '../errors.ts'

/** Milliseconds without queries after a timeout, and then between two attempts. */
const COOLDOWN_MS = 500

/**
 * Creates a circuit breaker that rejects callers immediately while the server does not respond. A
 * frozen server or a broken network closes no connection, so otherwise every caller would wait for
 * a timeout. After a timeout, one caller per `COOLDOWN_MS` is let through until a query succeeds.
 */
export function createCircuitBreaker({ monotonic = () => performance.now() } = {}) {
  let isOpen = false
  let nextAttemptAt = 0

  return {
    /** Lets a caller through. Throws `database_unavailable` during the cooldown. */
    enter(): void {
      if (!isOpen) return
      const now = monotonic()
      if (now < nextAttemptAt) throw new AppError('database_unavailable')
      nextAttemptAt = now + COOLDOWN_MS
    },

    /** Records a timeout. */
    open(): void {
      isOpen = true
      nextAttemptAt = monotonic() + COOLDOWN_MS
    },

    /** Records a response of the server, including errors. */
    close(): void {
      isOpen = false
    },
  }
}
