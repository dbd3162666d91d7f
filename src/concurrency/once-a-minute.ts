const MINUTE_MS = 60_000

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
