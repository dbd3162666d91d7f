import type { Db } from '../db/pool.ts'
import { countHit } from '../db/rate-window.queries.ts'
import { AppError } from '../errors.ts'
import type { Hasher } from './argon.ts'
import { createPasswords, type Passwords } from './password.ts'

type Dependencies = {
  db: Db
  passwords: Pick<Passwords, 'hash'>
  /** The maximum number of passwords per account and minute. */
  perMinute: number
}

/** Creates the hasher of link passwords. All processes share its rate limit per account. */
export function createRateLimitedHasher({ db, passwords, perMinute }: Dependencies) {
  return {
    /**
     * Returns the argon2id hash of `password`.
     *
     * @throws AppError `rate_limited`, `busy`
     */
    async hash(accountId: number, password: string): Promise<string> {
      const { hits, retryAfter } = await countHit(db, `passwords:${accountId}`)
      if (hits > perMinute) throw new AppError('rate_limited', { retryAfter })
      return passwords.hash(accountId, password)
    },
  }
}

/**
 * Creates a separate hashing queue for link passwords, registrations, sign-ins, and passwords that
 * accounts set. No queue can delay the others. All use the same hasher.
 */
export function createPasswordQueues(hasher: Hasher) {
  return {
    visits: createPasswords({ hasher }),
    registrations: createPasswords({ hasher, maxRunning: 1 }),
    sessions: createPasswords({ hasher }),
    accounts: createPasswords({ hasher, maxWaiting: 1000, maxWaitingPerKey: 200 }),
  }
}
