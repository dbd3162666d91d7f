import type { Db } from '../db/pool.ts'
import { type CountedHits, countHit, removeHit, WINDOW_SECONDS } from '../db/rate-window.queries.ts'
import { createRejectionMemory } from './rejection-memory.ts'

/** A counted attempt within the limit. `undo` removes it from the count. */
export type CountedHit = { retryAfter?: undefined; undo: () => Promise<void> }

/** Creates a limit on attempts in a time window. It is exact across processes. */
export function createRateLimiter({ db }: { db: Db }) {
  // A caller over the limit stays over it until the window ends. Until then, a flood is rejected
  // from memory.
  const rejections = createRejectionMemory()

  async function countWithin(
    subject: string,
    max: number,
    seconds: number,
  ): Promise<CountedHits | { over: number }> {
    const left = rejections.secondsLeft(subject)
    if (left !== undefined) return { over: left }
    const counted = await countHit(db, subject, seconds)
    if (counted.hits <= max) return counted
    rejections.add(subject, counted.retryAfter)
    return { over: counted.retryAfter }
  }

  return {
    /**
     * Counts an attempt by `subject`. The window lasts a minute unless `seconds` is set. Returns
     * the seconds to wait if there were more than `max` attempts.
     */
    async count(
      subject: string,
      max: number,
      seconds = WINDOW_SECONDS,
    ): Promise<number | undefined> {
      const counted = await countWithin(subject, max, seconds)
      return 'over' in counted ? counted.over : undefined
    },

    /**
     * Like `count`, but returns an object: the function that removes the attempt from the count, or
     * the seconds to wait.
     */
    async attempt(
      subject: string,
      max: number,
      seconds = WINDOW_SECONDS,
    ): Promise<CountedHit | { retryAfter: number }> {
      const counted = await countWithin(subject, max, seconds)
      if ('over' in counted) return { retryAfter: counted.over }
      return {
        async undo() {
          await removeHit(db, subject, counted.startedAt)
          // The subject may be below its limit again. Only the database knows.
          rejections.delete(subject)
        },
      }
    },
  }
}
