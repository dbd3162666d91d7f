/** The same values, each of which is asked for while the one before it is still being worked with. */
export async function* oneAhead<Value>(
  values: AsyncGenerator<Value, void>,
): AsyncGenerator<Value, void> {
  let next = values.next()
  try {
    for (;;) {
      const { done, value } = await next
      if (done) return
      next = values.next()
      // Told when it is awaited, which may be long after it was rejected.
      next.catch(() => {})
      yield value
    }
  } finally {
    await next.catch(() => {})
    await values.return()
  }
}
