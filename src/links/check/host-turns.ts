/**
 * Spaces requests to each host by at least `everyMs`. Returns the milliseconds that a request to a host has
 * to wait, and reserves its turn.
 */
export function createHostTurns(everyMs: number) {
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
