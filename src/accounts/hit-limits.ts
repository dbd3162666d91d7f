import type { Db } from '../db/pool.ts'
import { countHit, WINDOW_SECONDS } from './rate-window.queries.ts'
import { createRejectionMemory } from './rejection-memory.ts'

export type HitLimits = ReturnType<typeof createHitLimits>

/** Limits of hits in windows of time, exact for all processes together. */
export function createHitLimits({ db }: { db: Db }) {
  // Whoever was over a limit is over it until the window ends: a flood costs the database nothing.
  const rejections = createRejectionMemory()

  return {
    /**
     * Counts one hit of `subject`, in a window of a minute or of as many `seconds`. Gives the seconds to
     * wait if the window has had more than `most`.
     */
    async count(
      subject: string,
      most: number,
      seconds = WINDOW_SECONDS,
    ): Promise<number | undefined> {
      const left = rejections.secondsLeft(subject)
      if (left !== undefined) return left
      const { hits, retryAfter } = await countHit(db, subject, seconds)
      if (hits <= most) return undefined
      rejections.add(subject, retryAfter)
      return retryAfter
    },

    /** Asks the database about the subject again, of whose hits some turned out to be none. */
    clear: (subject: string): void => rejections.delete(subject),
  }
}
