import { createLru } from '../concurrency/memo.ts'

type Rejection = { until: number; reset: number | undefined }
type Options = {
  /** The time at which the limit was read, in monotonic milliseconds. Defaults to now. */
  since?: number
  /** The end of the window as reported by the database, in Unix seconds. */
  reset?: number
}

const MAX_SUBJECTS = 10_000

/**
 * Remembers which subjects are over their limit until the window ends, so that a flood is rejected
 * without a query. `monotonic` returns monotonic milliseconds.
 */
export function createRejectionMemory({ monotonic = () => performance.now() } = {}) {
  const rejections = createLru<string, Rejection>({ max: MAX_SUBJECTS })

  function find(subject: string): { secondsLeft: number; reset: number | undefined } | undefined {
    const { until = 0, reset } = rejections.get(subject) ?? {}
    const left = until - monotonic()
    return left > 0 ? { secondsLeft: Math.ceil(left / 1000), reset } : undefined
  }

  return {
    /** Rejects a subject for the given number of seconds from `since`. */
    add(subject: string, seconds: number, { since = monotonic(), reset }: Options = {}): void {
      rejections.set(subject, { until: since + seconds * 1000, reset })
    },

    delete: (subject: string): void => void rejections.delete(subject),

    clear: (): void => rejections.clear(),

    /**
     * Returns the whole seconds for which the subject is still rejected, at least 1, or undefined.
     */
    find,

    secondsLeft: (subject: string): number | undefined => find(subject)?.secondsLeft,
  }
}
