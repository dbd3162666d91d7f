/**
 * The same thing each time, made when it is first asked for: what takes milliseconds to make and is not
 * needed to serve a redirect should not keep a start waiting.
 */
export function lazy<Value extends object>(make: () => Value): () => Value {
  let made: Value | undefined
  return () => {
    made ??= make()
    return made
  }
}
