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
