import type { Db } from '../db/pool.ts'
import { countHit } from './rate-window.queries.ts'

export type AttemptLimit = ReturnType<typeof createAttemptLimit>

type Dependencies = {
  db: Db
  hashAddress: (address: string) => string
  /** What is being tried; each has windows of its own. */
  what: 'answer'
  /** Attempts in a minute for one link from one address. */
  limit: number
}

/** Counts what visitors try at a link, such as answers to its overlay, for all processes together. */
export function createAttemptLimit({ db, hashAddress, what, limit }: Dependencies) {
  return {
    /** Counts one try; says whether it may go on, and in how many seconds the next one may. */
    async count(
      linkId: number,
      address: string,
    ): Promise<{ allowed: boolean; retryAfter: number }> {
      const { hits, retryAfter } = await countHit(db, `${what}:${linkId}:${hashAddress(address)}`)
      return { allowed: hits <= limit, retryAfter }
    },
  }
}
