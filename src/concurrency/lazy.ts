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
