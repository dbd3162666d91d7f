import { AppError } from '../errors.ts'

/**
 * Runs at most `maxRunning` tasks at once and lets at most `maxWaiting` wait their turn, first
 * come, first served. What comes beyond that, or after `close`, is `AppError('busy')`.
 */
export function createQueue({
  maxRunning,
  maxWaiting,
}: {
  maxRunning: number
  maxWaiting: number
}) {
  const waiting: { start: () => void; refuse: (error: Error) => void }[] = []
  let running = 0
  let closed = false

  return {
    async run<T>(task: () => Promise<T>): Promise<T> {
      await enter()
      try {
        return await task()
      } finally {
        leave()
      }
    },

    /** Refuses those who wait and all who come later; running tasks are left alone. */
    close(): void {
      closed = true
      for (const { refuse } of waiting.splice(0)) refuse(new AppError('busy'))
    },
  }

  async function enter(): Promise<void> {
    if (closed) throw new AppError('busy')
    if (running < maxRunning) {
      running += 1
      return
    }
    if (waiting.length >= maxWaiting) throw new AppError('busy')
    await new Promise<void>((start, refuse) => waiting.push({ start, refuse }))
  }

  function leave(): void {
    const next = waiting.shift()
    if (next === undefined) running -= 1
    else next.start()
  }
}
