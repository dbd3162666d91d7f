import { AppError } from '../errors.ts'

/** Milliseconds for which a silent server is left alone, and after which one caller tries it again. */
const REST = 500

export type CircuitBreaker = ReturnType<typeof createCircuitBreaker>

/**
 * Refuses callers at once while a server says nothing. A frozen server or a broken network hangs up
 * on nobody, so that every caller would wait for a timeout of its own, and for those before it where
 * all connections hang. After a timeout only one caller in each `REST` gets through, until one of
 * them is answered.
 */
export function createCircuitBreaker({ monotonic = () => performance.now() } = {}) {
  let open = false
  let nextTryAt = 0

  return {
    /**
     * Lets a caller through.
     *
     * @throws AppError `database_unavailable` while the server is left alone
     */
    enter(): void {
      if (!open) return
      const now = monotonic()
      if (now < nextTryAt) throw new AppError('database_unavailable')
      nextTryAt = now + REST
    },

    /** A timeout has passed without an answer. */
    trip(): void {
      open = true
      nextTryAt = monotonic() + REST
    },

    /** The server has answered. */
    reset(): void {
      open = false
    },
  }
}
