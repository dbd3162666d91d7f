import type { Context } from '../context.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import { listMemberships } from './member.service.ts'
import { insertPendingSignIn } from './second-factor/pending-sign-in.queries.ts'
import * as queries from './session.queries.ts'
import { generateToken, hashToken, SECOND_STEP_MS } from './session.ts'

/** The token of a new session, or of a sign-in that is waiting for the second factor. */
export type StartedSession =
  | { token: string; pending?: undefined }
  | { pending: string; token?: undefined }

/** The reason why a user has no account to work in. */
export type NoAccount = 'account_suspended' | 'no_account'

type SessionStart = {
  userId: number
  /** The account to work in. Defaults to the first one the user can use. */
  accountId?: number | undefined
  /** The stored hash that the user's password matched, if the user entered one. */
  passwordHash?: string | undefined
  browser?: string | undefined
  /** Whether a second factor was just verified. */
  hasVerifiedFactor?: boolean
}

/**
 * Creates a session. For a user whose second factor is not verified yet, creates a pending sign-in
 * instead. `changed` means that the password, membership or factor changed after it was verified.
 */
export async function startSession(
  ctx: Context,
  db: Db,
  start: SessionStart,
): Promise<StartedSession | { rejection: NoAccount | 'changed' }> {
  const { accountId: requestedId, hasVerifiedFactor = false, ...verified } = start
  const account =
    requestedId === undefined
      ? await findFirstAccount(db, verified.userId)
      : { accountId: requestedId }
  if ('rejection' in account) return account
  const token = generateToken()
  const hash = hashToken(token)
  const now = ctx.clock()
  return inTransaction(db, async (tx): ReturnType<typeof startSession> => {
    const session = { ...verified, ...account, hasVerifiedFactor, hash, now }
    if (await queries.insertSession(tx, session)) {
      await queries.trimSessions(tx, verified.userId, now)
      return { token }
    }
    const pending = hasVerifiedFactor
      ? undefined
      : await startSecondStep(ctx, tx, { ...verified, accountId: requestedId })
    return pending === undefined ? { rejection: 'changed' } : { pending }
  })
}

/**
 * Creates a pending sign-in and returns its token. Returns undefined if the user has no second
 * factor, or if the password changed after it was verified.
 */
export async function startSecondStep(
  ctx: Context,
  tx: Tx,
  verified: Pick<SessionStart, 'userId' | 'accountId' | 'passwordHash'> & {
    invitationHash?: Buffer
  },
): Promise<string | undefined> {
  const token = generateToken()
  const expiresAt = new Date(ctx.clock().getTime() + SECOND_STEP_MS)
  const pending = { ...verified, hash: hashToken(token), expiresAt }
  return (await insertPendingSignIn(tx, pending)) ? token : undefined
}

/** Returns the account in which a user works after signing in, preferably one they own. */
async function findFirstAccount(
  db: Db,
  userId: number,
): Promise<{ accountId: number } | { rejection: NoAccount }> {
  const memberships = await listMemberships(db, userId)
  const open = memberships.find(({ suspended }) => !suspended)
  if (open) return { accountId: open.accountId }
  return { rejection: memberships.length > 0 ? 'account_suspended' : 'no_account' }
}
