import { createFairQueue } from '../concurrency/fair-queue.ts'
import { argon, type Hasher } from './argon.ts'

export type Passwords = ReturnType<typeof createPasswords>

type Options = {
  hasher?: Hasher
  maxRunning?: number
  maxWaiting?: number
  maxWaitingPerKey?: number
}

/** The key for fair queueing: an account, or a hash of an address. */
type Key = string | number

/**
 * Limits password hashing. Each hash takes 19 MiB and tens of milliseconds of a core, so two run
 * concurrently (one per key) and a few wait in a fair queue. Further callers are rejected, so that
 * the service stays responsive.
 */
export function createPasswords({
  hasher = argon,
  maxRunning = 2,
  maxWaiting = 64,
  maxWaitingPerKey = 16,
}: Options = {}) {
  const queue = createFairQueue({ maxRunning, maxWaiting, maxWaitingPerKey })

  return {
    /** Returns whether a new request would be rejected as `busy`, which is cheaper than trying. */
    isFullFor: queue.isFullFor,
    /** Returns the argon2id hash of `password`. Throws AppError `busy` if the queue is full. */
    hash: (key: Key, password: string) => queue.run(key, () => hasher.hash(password)),
    /**
     * Runs `work`, which may verify or hash a password, in turn. Throws AppError `busy` if the
     * queue is full.
     */
    inTurn: <T>(key: Key, work: (matches: Hasher['verify'], hash: Hasher['hash']) => Promise<T>) =>
      queue.run(key, () => work(hasher.verify, hasher.hash)),
    /** Returns whether `password` matches `hashed`. Throws AppError `busy` if the queue is full. */
    matches: (key: Key, hashed: string, password: string) =>
      queue.run(key, () => hasher.verify(hashed, password)),
  }
}
