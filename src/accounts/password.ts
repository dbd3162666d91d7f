import { hash, verify } from 'argon2'
import { createLimit } from '../concurrency/limit.ts'

/** OWASP's first recommendation for argon2id: 19 MiB, two passes, one lane. */
const options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

const AT_ONCE = 2
const WAITING = 16

export type Passwords = ReturnType<typeof createPasswords>

/**
 * Hashing of passwords with a bound: each check costs 19 MiB and tens of milliseconds of a core, so
 * two run at once, a few wait, and beyond that callers are refused instead of the service starved.
 */
export function createPasswords({ atOnce = AT_ONCE, waiting = WAITING } = {}) {
  const limit = createLimit({ maxRunning: atOnce, maxWaiting: waiting })

  return {
    /** Whether a check asked for now would be refused as `busy`, which is cheaper to ask than to be refused. */
    isFull: limit.isFull,
    /** The argon2id hash of `password`. Throws AppError `busy` when too many wait. */
    hash: (password: string) => limit.run(() => hash(password, options)),
    /** Runs `work`, which may check a password, in turn. Throws AppError `busy` when too many wait. */
    inTurn: <T>(work: (matches: typeof verify) => Promise<T>) => limit.run(() => work(verify)),
    /** Whether `password` is the one behind `hashed`. Throws AppError `busy` when too many wait. */
    matches: (hashed: string, password: string) => limit.run(() => verify(hashed, password)),
  }
}
