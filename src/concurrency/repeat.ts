import { setTimeout as sleep } from 'node:timers/promises'

/** A task that stops early if the signal aborts. `intervalMs` is the pause after each run. */
export type PeriodicTask = {
  intervalMs: number
  /** The line to log if it fails, unless its worker has one for all tasks. */
  failure?: string
  work: (signal: AbortSignal) => Promise<unknown>
}

type Options = {
  signal: AbortSignal
  /** Called with the first error in a row. */
  onFailure: (error: unknown) => void
  /** Returns a promise that ends the current pause. */
  waitForWakeUp?: () => Promise<void>
}

/** Repeats a task until the signal aborts. Never rejects. */
export async function repeat(
  { intervalMs, work }: PeriodicTask,
  { signal, onFailure, waitForWakeUp }: Options,
): Promise<void> {
  let hasFailed = false
  while (!signal.aborted) {
    try {
      await work(signal)
      hasFailed = false
    } catch (error) {
      if (!hasFailed) onFailure(error)
      hasFailed = true
    }
    const pause = new AbortController()
    const pauseSignal = AbortSignal.any([pause.signal, signal])
    const paused = sleep(intervalMs, undefined, { signal: pauseSignal }).catch(() => {})
    await (waitForWakeUp ? Promise.race([waitForWakeUp(), paused]) : paused)
    pause.abort()
  }
}
