import type { Context } from '../context.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction } from '../db/transaction.ts'
import { AppError } from '../errors.ts'
import { checkPassword } from './account.ts'
import {
  areAllAccountsSuspended,
  consumeResets,
  findResetUser,
  storeReset,
} from './password-reset.queries.ts'
import { requirePasswordSignIn } from './password-sign-in.ts'
import { generateToken, hashToken, isWellFormedToken } from './session.ts'
import { findPasswordHash, updateUserRow } from './user.queries.ts'
import { endSessions } from './user.service.ts'
import type { User } from './user.ts'

const VALID_MS = 3_600_000

/**
 * Returns the user of a reset token, or undefined if the token was used, was replaced or has
 * expired. A token has 256 random bits, so attempts need no rate limit, and no rate limit can lock
 * out the user.
 */
export async function findPasswordReset(
  ctx: Context,
  db: Db,
  token: string,
): Promise<(User & { suspended: boolean }) | undefined> {
  if (!isWellFormedToken(token)) return undefined
  const user = await findResetUser(db, hashToken(token), ctx.clock())
  return user && { ...user, suspended: await areAllAccountsSuspended(db, user.id) }
}

/**
 * Creates a single-use link that sets a password. It is valid for an hour by default. Anyone with
 * the link can sign in as the user. `mailed` tells whether the link goes only to the user's email
 * address. Mailed links replace none, because strangers can request them. Others replace the
 * previous one that was not mailed.
 *
 * @throws AppError `password_sign_in_off`, `not_found`, `account_suspended`
 */
export async function createUserPasswordReset(
  ctx: Context,
  db: Db,
  userId: number,
  { mailed = false, validMs = VALID_MS } = {},
): Promise<{ url: string; expiresAt: Date }> {
  requirePasswordSignIn(ctx)
  if (await areAllAccountsSuspended(db, userId)) throw new AppError('account_suspended')
  const token = generateToken()
  const expiresAt = new Date(ctx.clock().getTime() + validMs)
  await storeReset(db, { userId, hash: hashToken(token), mailed, expiresAt })
  return { url: `${ctx.config.baseUrl}/console/reset-password/${token}`, expiresAt }
}

/**
 * Sets the password of the user with this reset token, ends all of their sessions and invalidates
 * all of their tokens. Only a mailed token proves that the user owns the email address. Whoever sets
 * a user's first password with another token may not own it.
 *
 * @throws AppError `password_sign_in_off`, `reset_link_invalid`, `account_suspended`,
 * `invalid_input` naming `password`, `busy`
 */
export async function resetPassword(
  ctx: Context,
  db: Db,
  token: string,
  password: string,
): Promise<User> {
  requirePasswordSignIn(ctx)
  const resetUser = await findPasswordReset(ctx, db, token)
  if (!resetUser) throw new AppError('reset_link_invalid')
  if (resetUser.suspended) throw new AppError('account_suspended')
  const password_hash = await ctx.passwords.accounts.hash(resetUser.id, checkPassword(password))
  return inTransaction(db, async (tx) => {
    const hadPassword = (await findPasswordHash(tx, resetUser.id)) !== undefined
    // Locks the user's row first, like every transaction, to avoid deadlocks.
    const user = await updateUserRow(tx, resetUser.id, { password_hash })
    const used = { userId: resetUser.id, hash: hashToken(token), now: ctx.clock() }
    const reset = await consumeResets(tx, used)
    if (!user || !reset) throw new AppError('reset_link_invalid')
    if (reset.mailed || !hadPassword) {
      await updateUserRow(tx, user.id, { email_verified: reset.mailed })
    }
    await endSessions(tx, user.id)
    return user
  })
}
