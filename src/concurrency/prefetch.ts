/** Yields the same values, and requests each value while the previous one is being processed. */
export async function* prefetch<Value>(
  values: AsyncGenerator<Value, void>,
): AsyncGenerator<Value, void> {
  let next = values.next()
  try {
    for (;;) {
      const { done, value } = await next
      if (done) return
      next = values.next()
      // The rejection is handled when `next` is awaited, which may be much later.
      next.catch(() => {})
      yield value
    }
  } finally {
    await next.catch(() => {})
    await values.return()
  }
}
