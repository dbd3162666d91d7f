import type { WebContext } from '../../context.ts'
import type { Db } from '../../db/pool.ts'
import { inTransaction } from '../../db/transaction.ts'
import { AppError } from '../../errors.ts'
import { acceptInvitationByHash } from '../invitation.service.ts'
import { requirePasswordSignIn } from '../password-sign-in.ts'
import type { Origin } from '../session.service.ts'
import { hashToken, isWellFormedToken } from '../session.ts'
import { type NoAccount, startSession } from '../start-session.ts'
import type { User } from '../user.ts'
import { consumeCode, countCodeGuess, createWrongCodeError } from './one-time-codes.service.ts'
import {
  consumePendingSignIn,
  findPendingSignIn,
  isUnknownSignIn,
  type PendingSignIn,
} from './pending-sign-in.queries.ts'
import { getSecondFactor, lockUser } from './second-factor.service.ts'
import type { SecondFactor } from './second-factor.ts'

/**
 * Returns the user who is signing in and their second factor, or undefined if the sign-in has
 * expired. If a passkey will identify the user, the user is undefined until then.
 */
export async function findSecondStep(
  ctx: WebContext,
  db: Db,
  token: string,
): Promise<{ user?: User; factor?: SecondFactor } | undefined> {
  const pending = await findPending(ctx, db, token)
  if (pending) {
    return { user: pending.user, factor: await getSecondFactor(db, pending.user.id) }
  }
  return (await isAwaitingPasskey(ctx, db, token)) ? {} : undefined
}

/** Returns whether a sign-in is waiting for a passkey that identifies the user. */
export async function isAwaitingPasskey(ctx: WebContext, db: Db, token: string): Promise<boolean> {
  return isWellFormedToken(token) && isUnknownSignIn(db, hashToken(token), ctx.clock())
}

/**
 * Completes a sign-in with a one-time or recovery code and returns the session's token.
 *
 * @throws AppError `invalid_input` naming `code`, `rate_limited`, and like `completeSignIn`
 */
export async function completeWithCode(
  ctx: WebContext,
  db: Db,
  token: string,
  { code, address, browser }: Origin & { code: string },
): Promise<string> {
  const pending = await findPending(ctx, db, token)
  if (!pending) throw new AppError('sign_in_expired')
  const { user } = pending
  const recordSuccess = await countCodeGuess(ctx, db, user, { enteredCode: code, address })
  const session = await inTransaction(db, async (tx) => {
    // Locks the user's row first, like every transaction, to avoid deadlocks.
    await lockUser(tx, user.id)
    const isConsumed = await consumePendingSignIn(tx, hashToken(token), ctx.clock())
    if (!isConsumed) throw new AppError('sign_in_expired')
    if (!(await consumeCode(ctx, tx, user.id, code))) throw createWrongCodeError()
    return completeSignIn(ctx, tx, pending, browser)
  })
  await recordSuccess()
  return session
}

/** Returns the pending sign-in of a known user, or undefined if it has expired. */
export async function findPending(
  ctx: WebContext,
  db: Db,
  token: string,
): Promise<PendingSignIn | undefined> {
  if (!isWellFormedToken(token)) return undefined
  return findPendingSignIn(db, hashToken(token), ctx.clock())
}

/**
 * Creates the session of a user whose second factor was verified, and returns its token. If the
 * sign-in has an invitation, accepts it.
 *
 * @throws AppError `password_sign_in_off`, `sign_in_expired`, `account_suspended`, `no_account`,
 * `invitation_invalid`, `already_member`
 */
export async function completeSignIn(
  ctx: WebContext,
  db: Db,
  { user, passwordHash, invitationHash, ...pending }: PendingSignIn,
  browser: string | undefined,
): Promise<string> {
  requirePasswordSignIn(ctx)
  const { accountId } = invitationHash
    ? await acceptInvitationByHash(ctx, db, invitationHash, user)
    : pending
  const started = await startSession(ctx, db, {
    userId: user.id,
    accountId: accountId ?? undefined,
    passwordHash: passwordHash ?? undefined,
    browser,
    hasVerifiedFactor: true,
  })
  if ('rejection' in started) throw new AppError(toErrorCode(started.rejection))
  if (started.token === undefined) throw new Error('a verified second factor was requested again')
  return started.token
}

function toErrorCode(rejection: NoAccount | 'changed') {
  return rejection === 'changed' ? 'sign_in_expired' : rejection
}
