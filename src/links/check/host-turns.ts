/**
 * Limits requests to one per host every `everyMs`. The returned function reserves the next slot for
 * a host and returns the milliseconds until then.
 */
export function createHostThrottle(everyMs: number) {
  const nextSlots = new Map<string, number>()
  return function reserve(host: string, now: number): number {
    const turn = Math.max(now, nextSlots.get(host) ?? now)
    nextSlots.set(host, turn + everyMs)
    // Hosts need an entry only while their next slot is in the future.
    if (nextSlots.size > MAX_HOSTS) {
      for (const [each, next] of nextSlots) if (next <= now) nextSlots.delete(each)
    }
    return turn - now
  }
}

const MAX_HOSTS = 10_000
