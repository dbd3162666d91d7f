import { hashToken } from '../accounts/session.ts'
import { type StartedSession, startSecondStep, startSession } from '../accounts/start-session.ts'
import type { WebContext } from '../context.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction } from '../db/transaction.ts'
import { AppError } from '../errors.ts'
import { acceptInvitation } from './invitation.service.ts'
import { lockUser } from './second-factor/second-factor.queries.ts'
import type { User } from './user.ts'

type VerifiedUser = { user: User; passwordHash: string; browser?: string | undefined }

/**
 * Accepts an invitation for a user whose password was verified, and signs the user in. A user with
 * a second factor gets a pending sign-in, which accepts the invitation once the factor is verified.
 *
 * @throws AppError `invitation_invalid`, `already_member`, `account_suspended`, `sign_in_expired`
 */
export function acceptWithPassword(
  ctx: WebContext,
  db: Db,
  token: string,
  { user, passwordHash, browser }: VerifiedUser,
): Promise<StartedSession> {
  const verified = { userId: user.id, passwordHash }
  return inTransaction(db, async (tx): Promise<StartedSession> => {
    // Makes a concurrent change of the second factor wait until both steps are done.
    await lockUser(tx, user.id)
    const secondStep = { ...verified, invitationHash: hashToken(token) }
    const pending = await startSecondStep(ctx, tx, secondStep)
    if (pending !== undefined) return { pending }
    const { accountId } = await acceptInvitation(ctx, tx, token, user)
    const started = await startSession(ctx, tx, { ...verified, accountId, browser })
    if ('rejection' in started) throw new AppError('sign_in_expired')
    return started
  })
}
