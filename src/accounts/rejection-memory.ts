import { createLru } from '../concurrency/lru.ts'

export type RejectionMemory = ReturnType<typeof createRejectionMemory>

const REMEMBERED = 10_000

/**
 * Who is over a limit, and for how long, so that what a flood asks is answered from memory.
 * `monotonic` gives milliseconds that only move forward.
 */
export function createRejectionMemory({ monotonic = () => performance.now() } = {}) {
  const ends = createLru<string, number>({ max: REMEMBERED })
  return {
    add: (subject: string, seconds: number) => void ends.set(subject, monotonic() + seconds * 1000),

    delete: (subject: string) => void ends.delete(subject),

    /** Whole seconds, at least 1, for which the subject is rejected; undefined if it is not. */
    secondsLeft(subject: string): number | undefined {
      const left = (ends.get(subject) ?? 0) - monotonic()
      return left > 0 ? Math.ceil(left / 1000) : undefined
    },
  }
}
