/** The maximum number of visitors in a window, which take about 6 MB. */
const MAX_VISITORS = 100_000

export type RecentVisitors = ReturnType<typeof createRecentVisitors>

/** Creates a window that counts the visitors of the last `lengthMs` milliseconds. */
export function createRecentVisitors(lengthMs: number) {
  /** Visitors with the time of their last click, roughly in that order. */
  const lastClicks = new Map<number, number>()

  return {
    /** Adds a click of a visitor at a time (in milliseconds since 1970). */
    add(visitor: number, at: number): void {
      const previous = lastClicks.get(visitor) ?? at
      lastClicks.delete(visitor)
      lastClicks.set(visitor, Math.max(previous, at))
      if (lastClicks.size > MAX_VISITORS)
        lastClicks.delete(lastClicks.keys().next().value as number)
    },

    /** Returns the number of visitors in the window that ends now. */
    count(now: number): number {
      let count = 0
      for (const [visitor, at] of lastClicks) {
        if (at <= now - lengthMs) lastClicks.delete(visitor)
        else count += 1
      }
      return count
    },
  }
}
