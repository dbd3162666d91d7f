import { AppError } from '../errors.ts'

/** How long a silent server is left alone, and then the time between two attempts. */
const COOLDOWN_MS = 500

export type CircuitBreaker = ReturnType<typeof createCircuitBreaker>

/**
 * Rejects callers immediately while the server is silent. A frozen server or a broken network closes
 * no connection, so without this every caller would wait for a timeout of its own. After a timeout
 * one caller per `COOLDOWN_MS` gets through, until any query is answered.
 */
export function createCircuitBreaker({ monotonic = () => performance.now() } = {}) {
  let isOpen = false
  let nextAttemptAt = 0

  return {
    /** Lets a caller through. Throws `database_unavailable` while the server is left alone. */
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

    /** Records an answer of the server, also one that is an error. */
    close(): void {
      isOpen = false
    },
  }
}
