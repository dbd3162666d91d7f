import { AppError } from '../errors.ts'

/** The owner of a task, such as an account or an IP address. */
type Key = string | number
type Waiting = { start: () => void; reject: (error: Error) => void }

type Bounds = {
  maxRunning: number
  /**
   * The maximum number of concurrent tasks per key. If it is below `maxRunning`, no key can use all
   * slots.
   */
  maxRunningPerKey?: number
  maxWaiting: number
  maxWaitingPerKey?: number
}

export type FairQueue = ReturnType<typeof createFairQueue>

/**
 * Creates a queue that runs tasks fairly. Tasks of one key run in order, and keys take turns,
 * however many tasks a key has waiting. When the queue is full, a key with fewer waiting tasks
 * replaces the newest task of the key with the most, so that a flood from one key affects only
 * itself. Rejects replaced tasks, tasks beyond the limits, and tasks after `close` with
 * `AppError('busy')`.
 */
export function createFairQueue({
  maxRunning,
  maxRunningPerKey = 1,
  maxWaiting,
  maxWaitingPerKey = maxWaiting,
}: Bounds) {
  /** Keys with waiting tasks, in the order in which they take turns. */
  const waiting = new Map<Key, Waiting[]>()
  const runningByKey = new Map<Key, number>()
  let running = 0
  let waitingCount = 0
  let isClosed = false

  return {
    /** Returns whether a new task of `key` would be rejected. */
    isFullFor,

    /** Runs a task when its turn comes, and returns its result. */
    async run<T>(key: Key, task: () => Promise<T>): Promise<T> {
      await enter(key)
      try {
        return await task()
      } finally {
        leave(key)
      }
    },

    /** Rejects waiting and future tasks. Running tasks continue. */
    close(): void {
      isClosed = true
      for (const { reject } of [...waiting.values()].flat()) reject(new AppError('busy'))
      waiting.clear()
      waitingCount = 0
    },
  }

  async function enter(key: Key): Promise<void> {
    if (isFullFor(key)) throw new AppError('busy')
    if (canRun(key)) return markRunning(key)
    evictLast(key)
    await new Promise<void>((start, reject) => {
      const ownTasks = waiting.get(key)
      if (ownTasks) ownTasks.push({ start, reject })
      else waiting.set(key, [{ start, reject }])
      waitingCount += 1
    })
  }

  function leave(key: Key): void {
    const remaining = (runningByKey.get(key) ?? 1) - 1
    if (remaining === 0) runningByKey.delete(key)
    else runningByKey.set(key, remaining)
    running -= 1
    const next = waiting.keys().find(canRun)
    if (next !== undefined) startNext(next)
  }

  function startNext(key: Key): void {
    const ownTasks = waiting.get(key) ?? []
    // Moves the key to the end, so that its next task waits for one task of each other key.
    waiting.delete(key)
    const first = ownTasks.shift()
    if (ownTasks.length > 0) waiting.set(key, ownTasks)
    waitingCount -= 1
    markRunning(key)
    first?.start()
  }

  function isFullFor(key: Key): boolean {
    if (isClosed) return true
    if (canRun(key)) return false
    const ownTasks = waiting.get(key)?.length ?? 0
    if (ownTasks >= maxWaitingPerKey) return true
    return waitingCount >= maxWaiting && findLongest(key)[1].length <= ownTasks + 1
  }

  /** If the queue is full, rejects the newest task of the key with the most waiting tasks. */
  function evictLast(key: Key): void {
    if (waitingCount < maxWaiting) return
    const [longestKey, tasks] = findLongest(key)
    tasks.pop()?.reject(new AppError('busy'))
    if (tasks.length === 0) waiting.delete(longestKey)
    waitingCount -= 1
  }

  /** Returns the key with the most waiting tasks, and these tasks, or `key` if there are none. */
  function findLongest(key: Key): [Key, Waiting[]] {
    return [...waiting].reduce(
      (longest, queue) => (queue[1].length > longest[1].length ? queue : longest),
      [key, []],
    )
  }

  function canRun(key: Key): boolean {
    return running < maxRunning && (runningByKey.get(key) ?? 0) < maxRunningPerKey
  }

  function markRunning(key: Key): void {
    running += 1
    runningByKey.set(key, (runningByKey.get(key) ?? 0) + 1)
  }
}
