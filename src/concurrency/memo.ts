const MAX_REMEMBERED = 20_000

/**
 * The same function with its results kept by their keys, at most `max` of them. Forgets everything
 * when full: cheaper per hit than keeping track of what was used last.
 */
export function memo<Value>(
  compute: (key: string) => Value,
  max = MAX_REMEMBERED,
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
