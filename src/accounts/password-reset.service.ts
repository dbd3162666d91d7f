import type { Context } from '../context.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction } from '../db/transaction.ts'
import { AppError } from '../errors.ts'
import { findAccount, updateAccount } from './account.queries.ts'
import { type Account, checkPassword } from './account.ts'
import { findResetAccount, storeReset, takeReset } from './password-reset.queries.ts'
import { deleteSessionsOf } from './session.queries.ts'
import { generateToken, hashToken, isWellFormedToken } from './session.ts'

const VALID_MS = 3_600_000

/**
 * Returns the account whose password the token of a reset link sets; undefined if it was used, replaced
 * or has expired. A token has 256 random bits, so guesses at it are not limited, and no limit can keep
 * its holder out.
 */
export async function findPasswordReset(
  ctx: Context,
  db: Db,
  token: string,
): Promise<Account | undefined> {
  return isWellFormedToken(token) ? findResetAccount(db, hashToken(token), ctx.clock()) : undefined
}

/**
 * Creates a single-use link that is valid for an hour, and invalidates the one before it. Whoever has
 * the link can take over the account.
 *
 * @throws AppError `not_found`, `account_suspended`
 */
export async function createPasswordReset(
  ctx: Context,
  db: Db,
  accountId: number,
): Promise<{ url: string; expiresAt: Date }> {
  const account = await findAccount(db, accountId)
  if (!account) throw new AppError('not_found')
  if (account.suspended) throw new AppError('account_suspended')
  const token = generateToken()
  const expiresAt = new Date(ctx.clock().getTime() + VALID_MS)
  await storeReset(db, { accountId, hash: hashToken(token), expiresAt })
  return { url: `${ctx.config.baseUrl}/console/reset-password/${token}`, expiresAt }
}

/**
 * Sets the password of the token's account, ends all of its sessions and invalidates the token.
 *
 * @throws AppError `reset_link_invalid`, `account_suspended`, `invalid_input` naming `password`, `busy`
 */
export async function resetPassword(
  ctx: Context,
  db: Db,
  token: string,
  password: string,
): Promise<Account> {
  const found = await findPasswordReset(ctx, db, token)
  if (!found) throw new AppError('reset_link_invalid')
  if (found.suspended) throw new AppError('account_suspended')
  const password_hash = await ctx.passwords.own.hash(found.id, checkPassword(password))
  return inTransaction(db, async (tx) => {
    // The account's row first, as everywhere, so that two transactions never wait for each other.
    const account = await updateAccount(tx, found.id, { password_hash })
    const isValid = await takeReset(tx, hashToken(token), ctx.clock())
    if (!account || !isValid) throw new AppError('reset_link_invalid')
    await deleteSessionsOf(tx, account.id)
    return account
  })
}
