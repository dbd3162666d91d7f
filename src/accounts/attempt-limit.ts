import type { HitLimits } from './hit-limits.ts'

export type AttemptLimit = ReturnType<typeof createAttemptLimit>

type Dependencies = {
  hits: Pick<HitLimits, 'count'>
  hashAddress: (address: string) => string
  /** What is being tried; each has windows of its own. */
  what: 'answer'
  /** Attempts in a minute for one link from one address. */
  limit: number
}

/** Counts what visitors try at a link, such as answers to its overlay, for all processes together. */
export function createAttemptLimit({ hits, hashAddress, what, limit }: Dependencies) {
  return {
    /** Counts one try; gives the seconds to wait if it may not go on. */
    count: (linkId: number, address: string): Promise<number | undefined> =>
      hits.count(`${what}:${linkId}:${hashAddress(address)}`, limit),
  }
}
