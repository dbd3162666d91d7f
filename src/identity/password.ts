import { createFairQueue } from '../concurrency/fair-queue.ts'
import { argon, type Hasher } from './argon.ts'

export type Passwords = ReturnType<typeof createPasswords>

type Options = {
  hasher?: Hasher
  maxRunning?: number
  maxWaiting?: number
  maxWaitingPerKey?: number
}

/** The key for fair queueing: the id of an account, or the hash of an IP address. */
type Key = string | number

/**
 * Creates a limit on password hashing. Each hash takes 19 MiB and tens of milliseconds of CPU time.
 * By default, at most two run at a time, one per key, and a few more wait in a fair queue. Beyond
 * that, callers are rejected, so that the service stays responsive.
 */
export function createPasswords({
  hasher = argon,
  maxRunning = 2,
  maxWaiting = 64,
  maxWaitingPerKey = 16,
}: Options = {}) {
  const queue = createFairQueue({ maxRunning, maxWaiting, maxWaitingPerKey })

  return {
    /** Returns whether a new request would be rejected as `busy`. Cheaper than trying it. */
    isFullFor: queue.isFullFor,
    /** Returns the argon2id hash of `password`. Throws AppError `busy` if the queue is full. */
    hash: (key: Key, password: string) => queue.run(key, () => hasher.hash(password)),
    /**
     * Runs `work` when its turn comes. `work` may verify or hash a password. Throws AppError `busy`
     * if the queue is full.
     */
    runQueued: <T>(
      key: Key,
      work: (verify: Hasher['verify'], hash: Hasher['hash']) => Promise<T>,
    ) => queue.run(key, () => work(hasher.verify, hasher.hash)),
    /** Returns whether `password` matches `hashed`. Throws AppError `busy` if the queue is full. */
    verify: (key: Key, hashed: string, password: string) =>
      queue.run(key, () => hasher.verify(hashed, password)),
  }
}
