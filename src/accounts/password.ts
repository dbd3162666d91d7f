import { hash, verify } from 'argon2'
import { AppError } from '../errors.ts'

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
  const queue: (() => void)[] = []
  let running = 0

  async function bounded<T>(work: () => Promise<T>): Promise<T> {
    if (running >= atOnce) {
      if (queue.length >= waiting) throw new AppError('busy')
      await new Promise<void>((resolve) => queue.push(resolve))
    } else {
      running += 1
    }
    try {
      return await work()
    } finally {
      // The place passes straight to the next in line, so nobody can slip in between.
      const next = queue.shift()
      if (next) next()
      else running -= 1
    }
  }

  return {
    /** Whether a check asked for now would be refused as `busy`, which is cheaper to ask than to be refused. */
    isFull: () => running >= atOnce && queue.length >= waiting,
    /** The argon2id hash of `password`. Throws AppError `busy` when too many wait. */
    hash: (password: string) => bounded(() => hash(password, options)),
    /** Runs `work`, which may check a password, in turn. Throws AppError `busy` when too many wait. */
    inTurn: <T>(work: (matches: typeof verify) => Promise<T>) => bounded(() => work(verify)),
    /** Whether `password` is the one behind `hashed`. Throws AppError `busy` when too many wait. */
    matches: (hashed: string, password: string) => bounded(() => verify(hashed, password)),
  }
}
