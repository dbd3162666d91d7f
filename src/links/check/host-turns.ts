/**
 * Limits requests to one per host every `everyMs`. The returned function reserves the next turn of
 * a host and returns the milliseconds to wait for it.
 */
export function createHostThrottle(everyMs: number) {
  const nextTurns = new Map<string, number>()
  return function reserve(host: string, now: number): number {
    const turn = Math.max(now, nextTurns.get(host) ?? now)
    nextTurns.set(host, turn + everyMs)
    // Hosts whose turn has passed need no entry.
    if (nextTurns.size > MAX_HOSTS) {
      for (const [each, next] of nextTurns) if (next <= now) nextTurns.delete(each)
    }
    return turn - now
  }
}

const MAX_HOSTS = 10_000
