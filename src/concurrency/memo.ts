import { LRUCache } from 'lru-cache'

const MINUTE_MS = 60_000

const MAX_CACHED = 20_000

/**
 * Memoizes a function by key, except for undefined results. Clears the cache when it is full with
 * `max` entries. This makes hits cheaper than tracking recent use would.
 */
export function memo<Value>(
  compute: (key: string) => Value,
  max = MAX_CACHED,
): (key: string) => Value {
  const cache = new Map<string, Value>()
  return (key) => {
    const cached = cache.get(key)
    if (cached !== undefined) return cached
    if (cache.size >= max) cache.clear()
    const value = compute(key)
    cache.set(key, value)
    return value
  }
}

/**
 * Creates a cache of the `max` most recently used values. Calls `dispose` with evicted keys. Its
 * memory grows with its content. The library's own `max` would immediately allocate space for
 * 100,000 entries, which takes 14 ms and 1.5 MB per process.
 */
export function createLru<Key extends string | number, Value extends NonNullable<unknown>>({
  max,
  dispose,
}: {
  max: number
  dispose?: (value: Value, key: Key) => void
}): LRUCache<Key, Value> {
  return new LRUCache<Key, Value>({
    maxSize: max,
    sizeCalculation: () => 1,
    ...(dispose && { dispose }),
  })
}

/** Wraps a function so that it runs at most once a minute. Other calls do nothing. */
export function onceAMinute<Args extends unknown[]>(
  run: (...args: Args) => void,
): (...args: Args) => void {
  let ranAt = -Infinity
  return (...args) => {
    const now = performance.now()
    if (now - ranAt < MINUTE_MS) return
    ranAt = now
    run(...args)
  }
}

/** Returns a function that returns whether it was not called with the same text within a minute. */
export function createRepetitionCheck(): (text: string) => boolean {
  let last = ''
  let at = -Infinity
  return (text) => {
    const now = performance.now()
    if (text === last && now - at < MINUTE_MS) return false
    last = text
    at = now
    return true
  }
}

/**
 * Returns a function that creates a value on its first call and returns the same value on later
 * calls. Use it for values that are slow to create and not needed at startup.
 */
export function lazy<Value extends object>(create: () => Value): () => Value {
  let value: Value | undefined
  return () => {
    value ??= create()
    return value
  }
}
