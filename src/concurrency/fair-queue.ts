import { AppError } from '../errors.ts'

/** Whose task it is: an account, an address. */
type Key = string | number
type Waiting = { start: () => void; refuse: (error: Error) => void }

type Bounds = {
  maxRunning: number
  /** Of one key at once. Less than `maxRunning`, and no key alone can hold every place. */
  maxRunningPerKey?: number
  maxWaiting: number
  maxWaitingPerKey?: number
}

export type FairQueue = ReturnType<typeof createFairQueue>

/**
 * Runs tasks in turns: those of one key in their order, those of different keys one after the other,
 * however many a key has waiting. Where all places for waiting are taken, the newest of the key that
 * has the most gives way to a key that has fewer, so that a flood under one key hinders itself. What
 * gives way, what comes beyond the bounds or after `close`, is `AppError('busy')`.
 */
export function createFairQueue({
  maxRunning,
  maxRunningPerKey = 1,
  maxWaiting,
  maxWaitingPerKey = maxWaiting,
}: Bounds) {
  /** Keys in the order of their turns; none is without a task that waits. */
  const waiting = new Map<Key, Waiting[]>()
  const runningOf = new Map<Key, number>()
  let running = 0
  let waitingCount = 0
  let closed = false

  return {
    /** Whether a task of `key` that came now would be refused. */
    isFullFor,

    async run<T>(key: Key, task: () => Promise<T>): Promise<T> {
      await enter(key)
      try {
        return await task()
      } finally {
        leave(key)
      }
    },

    /** Refuses those who wait and all who come later; running tasks are left alone. */
    close(): void {
      closed = true
      for (const { refuse } of [...waiting.values()].flat()) refuse(new AppError('busy'))
      waiting.clear()
      waitingCount = 0
    },
  }

  async function enter(key: Key): Promise<void> {
    if (isFullFor(key)) throw new AppError('busy')
    if (mayRun(key)) return take(key)
    makeRoom(key)
    await new Promise<void>((start, refuse) => {
      const own = waiting.get(key)
      if (own) own.push({ start, refuse })
      else waiting.set(key, [{ start, refuse }])
      waitingCount += 1
    })
  }

  function leave(key: Key): void {
    const left = (runningOf.get(key) ?? 1) - 1
    if (left === 0) runningOf.delete(key)
    else runningOf.set(key, left)
    running -= 1
    const next = waiting.keys().find(mayRun)
    if (next !== undefined) startFirst(next)
  }

  function startFirst(key: Key): void {
    const own = waiting.get(key) ?? []
    // Behind the others, so that its next task waits for one of each.
    waiting.delete(key)
    const first = own.shift()
    if (own.length > 0) waiting.set(key, own)
    waitingCount -= 1
    take(key)
    first?.start()
  }

  function isFullFor(key: Key): boolean {
    if (closed) return true
    if (mayRun(key)) return false
    const own = waiting.get(key)?.length ?? 0
    if (own >= maxWaitingPerKey) return true
    return waitingCount >= maxWaiting && longest(key)[1].length <= own + 1
  }

  function makeRoom(key: Key): void {
    if (waitingCount < maxWaiting) return
    const [longestKey, tasks] = longest(key)
    tasks.pop()?.refuse(new AppError('busy'))
    if (tasks.length === 0) waiting.delete(longestKey)
    waitingCount -= 1
  }

  /** The key with the most tasks that wait, or `key` if none does. */
  function longest(key: Key): [Key, Waiting[]] {
    return [...waiting].reduce(
      (most, one) => (one[1].length > most[1].length ? one : most),
      [key, []],
    )
  }

  function mayRun(key: Key): boolean {
    return running < maxRunning && (runningOf.get(key) ?? 0) < maxRunningPerKey
  }

  function take(key: Key): void {
    running += 1
    runningOf.set(key, (runningOf.get(key) ?? 0) + 1)
  }
}
