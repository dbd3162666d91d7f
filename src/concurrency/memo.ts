const MAX_CACHED = 20_000

/**
 * Memoizes a function by key. Clears the cache when it exceeds `max` entries. This makes hits
 * cheaper than tracking recent use would.
 */
export function memo<Value>(
  compute: (key: string) => Value,
  max = MAX_CACHED,
): (key: string) => Value {
  const known = new Map<string, Value>()
  return (key) => {
    const found = known.get(key)
    if (found !== undefined) return found
    if (known.size >= max) known.clear()
    const value = compute(key)
    known.set(key, value)
    return value
  }
}
