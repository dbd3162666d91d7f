import type { Db } from '../db/pool.ts'
import type { Accounts } from './account.service.ts'
import type { NewAccount } from './account.ts'
import type { HitLimits } from './hit-limits.ts'
import { countHit, DAILY, DAY_SECONDS, takeBackHit } from './rate-window.queries.ts'

export type Registrations = ReturnType<typeof createRegistrations>

type Dependencies = {
  db: Db
  hits: Pick<HitLimits, 'count'>
  hashAddress: (address: string) => string
  accounts: Pick<Accounts, 'create'>
  /** Accounts that may be made in a day from one address; 0 for any number. */
  perDay: number
  /** Attempts in a minute from one address. */
  limit?: number
}

/**
 * Accounts that anybody may make for themselves. Each costs a hash of its password, and tells whether
 * an e-mail address is known here, so that few may be tried in a minute and fewer be made in a day,
 * all processes together.
 */
export function createRegistrations({
  db,
  hits,
  hashAddress,
  accounts,
  perDay,
  limit = 10,
}: Dependencies) {
  return {
    /**
     * The account and its first key, or why there is none and in how many seconds there may be one.
     *
     * @throws AppError `invalid_input` naming the field, `email_taken`, `username_taken`, `busy`
     */
    async register(input: NewAccount, address: string) {
      const caller = hashAddress(address)
      const retryAfter = await hits.count(`register:${caller}`, limit)
      if (retryAfter !== undefined) return rejection('rate_limited', { retryAfter })
      if (perDay === 0) return accounts.create(input, caller)
      const subject = `${DAILY}register:${caller}`
      const made = await countHit(db, subject, DAY_SECONDS)
      if (made.hits > perDay) return rejection('registration_limited', made)
      try {
        return await accounts.create(input, caller)
      } catch (error) {
        // Only what was made counts; an address that is taken may be corrected.
        await takeBackHit(db, subject, made.startedAt)
        throw error
      }
    },
  }
}

function rejection(
  code: 'rate_limited' | 'registration_limited',
  { retryAfter }: { retryAfter: number },
) {
  return { rejection: code, retryAfter }
}
