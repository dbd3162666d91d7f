import type { Clock } from '../clock.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction } from '../db/transaction.ts'
import { AppError } from '../errors.ts'
import { findAccount, updateAccount } from './account.queries.ts'
import { type Account, checkPassword } from './account.ts'
import type { Passwords } from './password.ts'
import { findResetAccount, storeReset, takeReset } from './password-reset.queries.ts'
import { deleteSessionsOf } from './session.queries.ts'
import { generateToken, hashToken, isWellFormedToken } from './session.ts'

export type PasswordResets = ReturnType<typeof createPasswordResets>

const VALID_MS = 3_600_000

type Dependencies = {
  db: Db
  baseUrl: string
  passwords: Pick<Passwords, 'hash'>
  clock: Clock
}

/**
 * Single-use links by which the owner of an account sets a new password without the old one. A token has
 * 256 random bits, so guesses at it are not limited, and no limit can keep its holder out.
 */
export function createPasswordResets({ db, baseUrl, passwords, clock }: Dependencies) {
  /** The account that the token is for; undefined if it was used, replaced or has expired. */
  async function find(token: string): Promise<Account | undefined> {
    return isWellFormedToken(token) ? findResetAccount(db, hashToken(token), clock()) : undefined
  }

  return {
    find,

    /**
     * Creates a link that is valid for an hour, and ends the one before it. Whoever has the link can take
     * over the account.
     *
     * @throws AppError `not_found`, `account_suspended`
     */
    async issue(accountId: number): Promise<{ url: string; expiresAt: Date }> {
      const account = await findAccount(db, accountId)
      if (!account) throw new AppError('not_found')
      if (account.suspended) throw new AppError('account_suspended')
      const token = generateToken()
      const expiresAt = new Date(clock().getTime() + VALID_MS)
      await storeReset(db, { accountId, hash: hashToken(token), expiresAt })
      return { url: `${baseUrl}/console/reset-password/${token}`, expiresAt }
    },

    /**
     * Sets the password of the token's account, ends all of its sessions and the token.
     *
     * @throws AppError `reset_link_invalid`, `account_suspended`, `invalid_input` naming `password`, `busy`
     */
    async use(token: string, password: string): Promise<Account> {
      const found = await find(token)
      if (!found) throw new AppError('reset_link_invalid')
      if (found.suspended) throw new AppError('account_suspended')
      const password_hash = await passwords.hash(found.id, checkPassword(password))
      return inTransaction(db, async (tx) => {
        // The account's row first, as everywhere, so that two transactions never wait for each other.
        const account = await updateAccount(tx, found.id, { password_hash })
        const isValid = await takeReset(tx, hashToken(token), clock())
        if (!account || !isValid) throw new AppError('reset_link_invalid')
        await deleteSessionsOf(tx, account.id)
        return account
      })
    },
  }
}
