import { createLru } from '../concurrency/lru.ts'

type Window = { hits: number; endsAt: number }

/** The number of wrong guesses allowed per link in 15 minutes. */
const MAX_PER_LINK = 30
const LINK_WINDOW_MS = 900_000
/** The window of the limits per caller. */
const WINDOW_MS = 60_000
/** The maximum number of counts in memory. */
const MAX_SUBJECTS = 10_000

/**
 * Counts password guesses in this process while the database is unavailable, so that an outage does
 * not allow unlimited guesses. Each process counts separately, and a restart resets the counts.
 */
export function createLocalGuesses({ monotonic = () => performance.now() } = {}) {
  const windows = createLru<string, Window>({ max: MAX_SUBJECTS })

  /** Counts an attempt. Returns the seconds to wait if there were more than `max`. */
  function count(subject: string, max: number, windowMs: number): number | undefined {
    const now = monotonic()
    const current = windows.get(subject)
    const window = current && current.endsAt > now ? current : { hits: 0, endsAt: now + windowMs }
    window.hits += 1
    windows.set(subject, window)
    return window.hits > max ? Math.ceil((window.endsAt - now) / 1000) : undefined
  }

  return {
    /**
     * Counts a caller's guess against a limit for the link and a limit for all links. Returns the
     * seconds to wait if a limit is exceeded.
     */
    countCaller(linkId: number, caller: string, limits: { perLink: number; perAddress: number }) {
      return (
        count(`${linkId} ${caller}`, limits.perLink, WINDOW_MS) ??
        count(caller, limits.perAddress, WINDOW_MS)
      )
    },

    /**
     * Counts a guess by any caller against the limit for the link. Returns the seconds to wait if
     * the limit is exceeded.
     */
    countLink: (linkId: number) => count(`${linkId}`, MAX_PER_LINK, LINK_WINDOW_MS),

    /** Removes a correct guess from the link's count. */
    uncount(linkId: number): void {
      const window = windows.get(`${linkId}`)
      if (window) window.hits -= 1
    },
  }
}
