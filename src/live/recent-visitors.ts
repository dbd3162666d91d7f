/** The maximum number of visitors in a window, which take about 6 MB. */
const MAX_VISITORS = 100_000

export type RecentVisitors = ReturnType<typeof createRecentVisitors>

/** Creates a window that counts the visitors of the last `length` milliseconds. */
export function createRecentVisitors(length: number) {
  /** Visitors with the time of their last click, roughly in that order. */
  const seen = new Map<number, number>()

  return {
    add(visitor: number, at: number): void {
      const before = seen.get(visitor) ?? at
      seen.delete(visitor)
      seen.set(visitor, Math.max(before, at))
      if (seen.size > MAX_VISITORS) seen.delete(seen.keys().next().value as number)
    },

    count(now: number): number {
      let count = 0
      for (const [visitor, at] of seen) {
        if (at <= now - length) seen.delete(visitor)
        else count += 1
      }
      return count
    },
  }
}
