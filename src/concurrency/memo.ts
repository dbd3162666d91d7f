const MAX_REMEMBERED = 20_000

/**
 * The same function with its results kept by their keys. Forgets everything when full: cheaper per
 * hit than keeping track of what was used last.
 */
export function memo<Value>(compute: (key: string) => Value): (key: string) => Value {
  const known = new Map<string, Value>()
  return (key) => {
    const found = known.get(key)
    if (found !== undefined) return found
    if (known.size >= MAX_REMEMBERED) known.clear()
    const value = compute(key)
    known.set(key, value)
    return value
  }
}
