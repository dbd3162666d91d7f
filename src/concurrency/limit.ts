import PQueue from 'p-queue'
import { AppError } from '../errors.ts'

export type Limit = ReturnType<typeof createLimit>

/**
 * Creates a limit of concurrent tasks. Runs at most `maxRunning` tasks, and queues at most
 * `maxWaiting` in the order of arrival. Rejects other tasks with `AppError('busy')`.
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
    /** Returns whether a new task would be rejected. */
    isFull,

    /**
     * Runs `task` when its turn comes, and returns its result. Rejects if the task rejects, or with
     * `AppError('busy')`.
     */
    async run<T>(task: () => Promise<T>): Promise<T> {
      if (isFull()) throw new AppError('busy')
      return queue.add(task)
    },
  }
}

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
