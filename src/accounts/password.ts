import { createFairQueue } from '../concurrency/fair-queue.ts'
import { argon, type Hasher } from './argon.ts'

export type Passwords = ReturnType<typeof createPasswords>

type Options = {
  hasher?: Hasher
  maxRunning?: number
  maxWaiting?: number
  maxWaitingPerKey?: number
}

/** Whose turn a check takes: an account, or a hash that stands for an address. */
type Key = string | number

/**
 * Hashing of passwords with a bound: each check costs 19 MiB and tens of milliseconds of a core, so
 * two run at once, one for each key, a few wait and take turns by their keys, and beyond that callers
 * are refused instead of the service starved.
 */
export function createPasswords({
  hasher = argon,
  maxRunning = 2,
  maxWaiting = 64,
  maxWaitingPerKey = 16,
}: Options = {}) {
  const queue = createFairQueue({ maxRunning, maxWaiting, maxWaitingPerKey })

  return {
    /** Whether a check asked for now would be refused as `busy`, which is cheaper to ask than to be refused. */
    isFullFor: queue.isFullFor,
    /** The argon2id hash of `password`. Throws AppError `busy` when too many wait. */
    hash: (key: Key, password: string) => queue.run(key, () => hasher.hash(password)),
    /** Runs `work`, which may check or hash a password, in turn. Throws AppError `busy` when too many wait. */
    inTurn: <T>(key: Key, work: (matches: Hasher['verify'], hash: Hasher['hash']) => Promise<T>) =>
      queue.run(key, () => work(hasher.verify, hasher.hash)),
    /** Whether `password` is the one behind `hashed`. Throws AppError `busy` when too many wait. */
    matches: (key: Key, hashed: string, password: string) =>
      queue.run(key, () => hasher.verify(hashed, password)),
  }
}
