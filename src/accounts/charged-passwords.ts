import type { Db } from '../db/pool.ts'
import { AppError } from '../errors.ts'
import type { Passwords } from './password.ts'
import { countHit } from './rate-window.queries.ts'

export type ChargedPasswords = ReturnType<typeof createChargedPasswords>

type Dependencies = {
  db: Db
  passwords: Pick<Passwords, 'hash'>
  /** Passwords that an account may have hashed in a minute. */
  perMinute: number
}

/** Hashing of the passwords that accounts give their links: so many a minute, all processes together. */
export function createChargedPasswords({ db, passwords, perMinute }: Dependencies) {
  return {
    /** The argon2id hash of `password`. @throws AppError `rate_limited`, `busy` */
    async hash(accountId: number, password: string): Promise<string> {
      const { hits, retryAfter } = await countHit(db, `passwords:${accountId}`)
      if (hits > perMinute) throw new AppError('rate_limited', undefined, { retryAfter })
      return passwords.hash(accountId, password)
    },
  }
}
