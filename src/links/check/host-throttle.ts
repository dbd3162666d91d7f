/**
 * Creates the function that limits requests to one per host every `everyMs` milliseconds. It
 * reserves the next slot for a host and returns the milliseconds until then.
 */
export function createHostThrottle(everyMs: number) {
  const nextSlots = new Map<string, number>()
  return function reserve(host: string, now: number): number {
    const slot = Math.max(now, nextSlots.get(host) ?? now)
    nextSlots.set(host, slot + everyMs)
    // Hosts need an entry only while their next slot is in the future.
    if (nextSlots.size > MAX_HOSTS) {
      for (const [host, next] of nextSlots) if (next <= now) nextSlots.delete(host)
    }
    return slot - now
  }
}

const MAX_HOSTS = 10_000
