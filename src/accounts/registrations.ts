import type { Db } from '../db/pool.ts'
import type { Accounts } from './account.service.ts'
import type { NewAccount } from './account.ts'
import { countHit } from './rate-window.queries.ts'

export type Registrations = ReturnType<typeof createRegistrations>

type Dependencies = {
  db: Db
  hashAddress: (address: string) => string
  accounts: Pick<Accounts, 'create'>
  /** Attempts in a minute from one address. */
  limit?: number
}

/**
 * Accounts that anybody may make for themselves. Each costs a hash of its password, and tells whether
 * an e-mail address is known here, so that few may be tried in a minute, all processes together.
 */
export function createRegistrations({ db, hashAddress, accounts, limit = 10 }: Dependencies) {
  return {
    /**
     * The account and its first key, or in how many seconds the next attempt may be made.
     *
     * @throws AppError `invalid_input` naming the field, `email_taken`, `username_taken`, `busy`
     */
    async register(input: NewAccount, address: string) {
      const { hits, retryAfter } = await countHit(db, `register:${hashAddress(address)}`)
      if (hits > limit) return { retryAfter }
      return accounts.create(input)
    },
  }
}
