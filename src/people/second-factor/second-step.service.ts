import { beginSession, type NoAccount } from '../../accounts/begin-session.ts'
import type { Origin } from '../../accounts/session.service.ts'
import { hashToken, isWellFormedToken } from '../../accounts/session.ts'
import type { WebContext } from '../../context.ts'
import type { Db } from '../../db/pool.ts'
import { inTransaction } from '../../db/transaction.ts'
import { AppError } from '../../errors.ts'
import type { User } from '../user.ts'
import { countCode, takeCode, wrongCode } from './one-time-codes.service.ts'
import {
  findPendingSignIn,
  type PendingSignIn,
  takePendingSignIn,
} from './pending-sign-in.queries.ts'
import { findSecondFactor, lockUser } from './second-factor.queries.ts'
import type { SecondFactor } from './second-factor.ts'

/** Returns who is signing in, and what they can prove it with; undefined if the sign-in has expired. */
export async function findSecondStep(
  ctx: WebContext,
  db: Db,
  token: string,
): Promise<{ user: User; factor: SecondFactor } | undefined> {
  const pending = await find(ctx, db, token)
  return pending && { user: pending.user, factor: await findSecondFactor(db, pending.user.id) }
}

/**
 * Completes a sign-in with a one-time or recovery code, and returns the session's token.
 *
 * @throws AppError `sign_in_expired`, `invalid_input` naming `code`, `rate_limited`,
 *   `account_suspended`, `no_account`
 */
export async function completeWithCode(
  ctx: WebContext,
  db: Db,
  token: string,
  { code, address, browser }: Origin & { code: string },
): Promise<string> {
  const pending = await find(ctx, db, token)
  if (!pending) throw new AppError('sign_in_expired')
  const { user } = pending
  const recordSuccess = await countCode(ctx, db, user, { typed: code, address })
  const session = await inTransaction(db, async (tx) => {
    // The user's row first, as everywhere, so that two transactions never wait for each other.
    await lockUser(tx, user.id)
    const isMine = await takePendingSignIn(tx, hashToken(token), ctx.clock())
    if (!isMine) throw new AppError('sign_in_expired')
    if (!(await takeCode(ctx, tx, user.id, code))) throw wrongCode()
    return begin(ctx, tx, pending, browser)
  })
  await recordSuccess()
  return session
}

async function find(ctx: WebContext, db: Db, token: string): Promise<PendingSignIn | undefined> {
  if (!isWellFormedToken(token)) return undefined
  return findPendingSignIn(db, hashToken(token), ctx.clock())
}

async function begin(
  ctx: WebContext,
  db: Db,
  { user, accountId, passwordHash }: PendingSignIn,
  browser: string | undefined,
): Promise<string> {
  const begun = await beginSession(ctx, db, {
    userId: user.id,
    accountId: accountId ?? undefined,
    passwordHash: passwordHash ?? undefined,
    browser,
    hasProvenFactor: true,
  })
  if ('rejection' in begun) throw new AppError(codeOf(begun.rejection))
  if (begun.token === undefined) throw new Error('a proven second factor was asked for again')
  return begun.token
}

function codeOf(rejection: NoAccount | 'changed') {
  return rejection === 'changed' ? 'sign_in_expired' : rejection
}
