import PQueue from 'p-queue'
import { AppError } from '../errors.ts'

export type Limit = ReturnType<typeof createLimit>

/**
 * Runs at most `maxRunning` tasks at once and lets at most `maxWaiting` wait their turn, first come,
 * first served. What comes beyond that is `AppError('busy')`.
 */
export function createLimit({
  maxRunning,
  maxWaiting,
}: {
  maxRunning: number
  maxWaiting: number
}) {
  const queue = new PQueue({ concurrency: maxRunning })
  const isFull = () => queue.pending >= maxRunning && queue.size >= maxWaiting
  return {
    /** Whether a task that came now would be refused. */
    isFull,

    /** What `task` gives, once its turn has come. Rejects as it does, or with `AppError('busy')`. */
    async run<T>(task: () => Promise<T>): Promise<T> {
      if (isFull()) throw new AppError('busy')
      return queue.add(task)
    },
  }
}
