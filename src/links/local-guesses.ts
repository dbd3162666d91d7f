import { createLru } from '../concurrency/lru.ts'

type Window = { hits: number; endsAt: number }

/** Guesses at one link, in a quarter of an hour, that may be wrong before the next one has to wait. */
const PER_LINK = 30
const LINK_WINDOW_MS = 900_000
const WINDOW_MS = 60_000
const MAX_SUBJECTS = 10_000

/**
 * Counts guesses at passwords in this process alone, for when the database cannot: nobody gets more guesses
 * because it is away. Restarts forget, and each process counts for itself.
 */
export function createLocalGuesses({ monotonic = () => performance.now() } = {}) {
  const windows = createLru<string, Window>({ max: MAX_SUBJECTS })

  /** Counts a hit, and returns the seconds to wait if there were more than `most`. */
  function count(subject: string, most: number, windowMs: number): number | undefined {
    const now = monotonic()
    const known = windows.get(subject)
    const window = known && known.endsAt > now ? known : { hits: 0, endsAt: now + windowMs }
    window.hits += 1
    windows.set(subject, window)
    return window.hits > most ? Math.ceil((window.endsAt - now) / 1000) : undefined
  }

  return {
    /** Counts a guess of a caller, against limits for each link and for all together. */
    countCaller(linkId: number, caller: string, limits: { perLink: number; perAddress: number }) {
      return (
        count(`${linkId} ${caller}`, limits.perLink, WINDOW_MS) ??
        count(caller, limits.perAddress, WINDOW_MS)
      )
    },

    /** Counts a guess at a link, whoever it is from. */
    countLink: (linkId: number) => count(`${linkId}`, PER_LINK, LINK_WINDOW_MS),

    /** Takes back a guess at a link that was right. */
    takeBack(linkId: number): void {
      const window = windows.get(`${linkId}`)
      if (window) window.hits -= 1
    },
  }
}
