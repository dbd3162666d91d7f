import { createLru } from '../concurrency/lru.ts'

type Rejection = { until: number; reset: number | undefined }
type Options = {
  /** When the limit was asked about, on the memory's clock; now if it is not given. */
  since?: number
  /** When the window ends, as the database says it: Unix seconds. */
  reset?: number
}

const MAX_SUBJECTS = 10_000

/**
 * Remembers who is over a limit, and for how long, so that a flood is answered from memory.
 * `monotonic` gives milliseconds that only move forward.
 */
export function createRejectionMemory({ monotonic = () => performance.now() } = {}) {
  const rejections = createLru<string, Rejection>({ max: MAX_SUBJECTS })

  function find(subject: string): { secondsLeft: number; reset: number | undefined } | undefined {
    const { until = 0, reset } = rejections.get(subject) ?? {}
    const left = until - monotonic()
    return left > 0 ? { secondsLeft: Math.ceil(left / 1000), reset } : undefined
  }

  return {
    add(subject: string, seconds: number, { since = monotonic(), reset }: Options = {}): void {
      rejections.set(subject, { until: since + seconds * 1000, reset })
    },

    delete: (subject: string): void => void rejections.delete(subject),

    clear: (): void => rejections.clear(),

    /** For how long the subject is rejected, in whole seconds from 1; undefined if it is not. */
    find,

    secondsLeft: (subject: string): number | undefined => find(subject)?.secondsLeft,
  }
}
