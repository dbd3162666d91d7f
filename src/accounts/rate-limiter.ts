import type { Db } from '../db/pool.ts'
import { type CountedHits, countHit, takeBackHit, WINDOW_SECONDS } from './rate-window.queries.ts'
import { createRejectionMemory } from './rejection-memory.ts'

/** A hit within its limit, which may turn out not to count. */
export type CountedHit = { retryAfter?: undefined; takeBack: () => Promise<void> }

/** Limits hits in windows of time, exactly over all processes. */
export function createRateLimiter({ db }: { db: Db }) {
  // Whoever is over a limit stays over it until the window ends, so a flood costs the database nothing.
  const rejections = createRejectionMemory()

  async function countWithin(
    subject: string,
    most: number,
    seconds: number,
  ): Promise<CountedHits | { over: number }> {
    const left = rejections.secondsLeft(subject)
    if (left !== undefined) return { over: left }
    const counted = await countHit(db, subject, seconds)
    if (counted.hits <= most) return counted
    rejections.add(subject, counted.retryAfter)
    return { over: counted.retryAfter }
  }

  return {
    /**
     * Counts one hit of `subject`, in a window of a minute or of `seconds`. Returns the seconds to wait if
     * the window has had more than `most`.
     */
    async count(
      subject: string,
      most: number,
      seconds = WINDOW_SECONDS,
    ): Promise<number | undefined> {
      const counted = await countWithin(subject, most, seconds)
      return 'over' in counted ? counted.over : undefined
    },

    /** Counts one hit in a window of a minute, which the caller may take back later. */
    async attempt(subject: string, most: number): Promise<CountedHit | { retryAfter: number }> {
      const counted = await countWithin(subject, most, WINDOW_SECONDS)
      if ('over' in counted) return { retryAfter: counted.over }
      return {
        async takeBack() {
          await takeBackHit(db, subject, counted.startedAt)
          // The subject may be within its limit again, which only the database knows.
          rejections.delete(subject)
        },
      }
    },
  }
}
