import type { Context, WebContext } from '../context.ts'
import { unscoped } from '../db/account-rows.ts'
import type { Db } from '../db/pool.ts'
import { DAILY_PREFIX, DAY_SECONDS } from '../db/rate-window.queries.ts'
import { inTransaction, type Tx, transact } from '../db/transaction.ts'
import { AppError } from '../errors.ts'
import { addJob } from '../jobs/job-queue.queries.ts'
import type { AccountScope, Scope } from '../scope.ts'
import { findTimeZone } from '../time-zone.ts'
import { checkEmail, checkPassword } from './account.ts'
import * as queries from './invitation.queries.ts'
import type { Invitation, OpenInvitation } from './invitation.ts'
import { insertMember, lockMembers } from './member.queries.ts'
import { listMembers } from './member.service.ts'
import { areAllAccountsSuspended } from './password-reset.queries.ts'
import { requirePasswordSignIn } from './password-sign-in.ts'
import { lockUser } from './second-factor/second-factor.service.ts'
import { generateToken, hashToken, isWellFormedToken } from './session.ts'
import { type StartedSession, startSecondStep, startSession } from './start-session.ts'
import { insertUser } from './user.queries.ts'
import type { Role, User } from './user.ts'
import { readLanguage } from './user.ts'

type VerifiedUser = { user: User; passwordHash: string; browser?: string | undefined }

export const INVITATION_TASK = 'mail-invitation'

const VALID_MS = 7 * 86_400_000
/** Invitations per hour and account. */
const MAX_PER_HOUR = 20
const HOUR_SECONDS = 3600
/** Invitations per day that a new account may have mailed. */
const MAX_PER_DAY_IF_NEW = 3
const MAX_OPEN_INVITATIONS = 100
/** With the backoff of the queue, the attempts span about fifteen hours. */
const MAX_ATTEMPTS = 12

/**
 * Invites a person to an account by email address. Replaces any earlier invitation. Emails the
 * invitation if mail is set up. Otherwise returns the link, which is not stored.
 *
 * @throws AppError `invalid_input` naming `email`, `already_member`, `too_many_invitations`,
 * `rate_limited`, `new_account_limited`, `busy`
 */
export async function invite(
  scope: Scope<Context>,
  input: { email: string; role: Role },
): Promise<{ email: string; url?: string }> {
  const email = checkEmail(input.email)
  await countInvitation(scope, scope.accountId)
  const isMailed = scope.config.mail !== undefined
  if (isMailed && (await queries.isNewAccount(scope))) {
    await countNewInvitation(scope, scope.accountId)
  }
  const token = generateToken()
  return transact(scope, async (tx): Promise<{ email: string; url?: string }> => {
    await lockMembers(tx)
    const members = await listMembers(tx)
    const isMember = members.some((member) => member.email.toLowerCase() === email.toLowerCase())
    if (isMember) throw new AppError('already_member', { field: 'email' })
    const now = scope.clock()
    const open = await queries.findInvitations(tx, now)
    if (open.length >= MAX_OPEN_INVITATIONS) throw new AppError('too_many_invitations')
    const id = await queries.storeInvitation(unscoped(tx), {
      accountId: scope.accountId,
      email,
      role: input.role,
      hash: isMailed ? null : hashToken(token),
      expiresAt: new Date(now.getTime() + VALID_MS),
    })
    if (!isMailed) return { email, url: toUrl(scope, token) }
    const key = `${INVITATION_TASK}:${id}`
    const job = { task: INVITATION_TASK, payload: { id }, key, maxAttempts: MAX_ATTEMPTS }
    if (!(await addJob(unscoped(tx), job))) throw new AppError('busy')
    return { email }
  })
}

/** Lists the account's open invitations, newest first. */
export function listInvitations(scope: Scope<Context>): Promise<Invitation[]> {
  return queries.findInvitations(scope, scope.clock())
}

/**
 * Replaces the link of an invitation. An invitation for an owner cannot be renewed this way,
 * because inviting an owner requires the password.
 *
 * @throws AppError `not_found`, also for an owner's invitation, `rate_limited`
 */
export async function renewInvitation(
  scope: Scope<Context>,
  id: number,
): Promise<{ email: string; url: string }> {
  await countInvitation(scope, scope.accountId)
  const renewed = await issueInvitationLink(scope, unscoped(scope), {
    id,
    accountId: scope.accountId,
  })
  if (!renewed) throw new AppError('not_found')
  return renewed
}

/**
 * Creates the link of an open invitation. Returns undefined if the invitation was accepted or
 * withdrawn, or has expired.
 */
export async function issueInvitationLink(
  ctx: Context,
  db: Db,
  { id, accountId }: { id: number; accountId?: number },
) {
  const token = generateToken()
  const invitation = await queries.updateInvitationHash(db, {
    id,
    hash: hashToken(token),
    now: ctx.clock(),
    ...(accountId !== undefined && { accountId }),
  })
  return invitation && { ...invitation, url: toUrl(ctx, token) }
}

/**
 * Withdraws an invitation, which invalidates its link.
 *
 * @throws AppError `not_found`
 */
export async function withdrawInvitation(scope: AccountScope, id: number): Promise<void> {
  if (!(await queries.deleteInvitation(scope, id))) throw new AppError('not_found')
}

/**
 * Returns the invitation to which a link belongs, or undefined if it was accepted, replaced or
 * withdrawn, or has expired.
 */
export async function findInvitation(
  ctx: Context,
  db: Db,
  token: string,
): Promise<OpenInvitation | undefined> {
  if (!isWellFormedToken(token)) return undefined
  return queries.findOpenInvitation(db, hashToken(token), ctx.clock())
}

/**
 * Makes a user a member of the account and deletes the invitation. `acceptor` is an existing user,
 * or the password of a user to create with the invited email address.
 *
 * @throws AppError `invitation_invalid`, `already_member`, `account_suspended`. For a user to
 * create also `password_sign_in_off`, `email_taken`, `invalid_input` naming `password`, `busy`
 */
export async function acceptInvitation(
  ctx: Context,
  db: Db,
  token: string,
  acceptor: User | NewMember,
): Promise<{ accountId: number; user: User }> {
  if (!isWellFormedToken(token)) throw new AppError('invitation_invalid')
  return acceptInvitationByHash(ctx, db, hashToken(token), acceptor)
}

type NewMember = { password: string; language?: string; timeZone?: string }

/** Accepts the invitation whose link has this hash. Works like `acceptInvitation`. */
export async function acceptInvitationByHash(
  ctx: Context,
  db: Db,
  hash: Buffer,
  acceptor: User | NewMember,
): Promise<{ accountId: number; user: User }> {
  if ('password' in acceptor) requirePasswordSignIn(ctx)
  const invitation = await queries.findOpenInvitation(db, hash, ctx.clock())
  if (!invitation) throw new AppError('invitation_invalid')
  const { id, accountId, email, role } = invitation
  if ('id' in acceptor && (await areAllAccountsSuspended(db, acceptor.id)))
    throw new AppError('account_suspended')
  const password_hash =
    'password' in acceptor
      ? await ctx.passwords.accounts.hash(accountId, checkPassword(acceptor.password))
      : undefined
  return inTransaction(db, async (tx) => {
    const isOpen = await lockMembers({ db: tx, accountId })
    const isConsumed = await queries.consumeInvitation(tx, id, hash)
    if (!isOpen || !isConsumed) throw new AppError('invitation_invalid')
    const user =
      'password' in acceptor
        ? await insertUser(tx, {
            email,
            password_hash: password_hash ?? null,
            language: readLanguage(acceptor.language ?? ''),
            time_zone: findTimeZone(acceptor.timeZone ?? '') ?? 'UTC',
          })
        : acceptor
    const isNew = await insertMember(tx, { accountId, userId: user.id, role })
    if (!isNew) throw new AppError('already_member')
    return { accountId, user }
  })
}

/**
 * Adds a new user with a verified email address to every account that invited them. Returns whether
 * the user joined any account.
 */
export async function acceptOwnInvitations(ctx: Context, tx: Tx, user: User): Promise<boolean> {
  let hasJoined = false
  for (const { accountId, role } of await queries.consumeInvitationsFor(
    tx,
    user.email,
    ctx.clock(),
  )) {
    if (!(await lockMembers({ db: tx, accountId }))) continue
    hasJoined = (await insertMember(tx, { accountId, userId: user.id, role })) || hasJoined
  }
  return hasJoined
}

async function countInvitation(ctx: Context, accountId: number): Promise<void> {
  const retryAfter = await ctx.rateLimiter.count(
    `${DAILY_PREFIX}invitations:${accountId}`,
    MAX_PER_HOUR,
    HOUR_SECONDS,
  )
  if (retryAfter !== undefined) throw new AppError('rate_limited', { retryAfter })
}

/** Counts an invitation that a stranger may have mailed to other strangers. */
async function countNewInvitation(ctx: Context, accountId: number): Promise<void> {
  const subject = `${DAILY_PREFIX}new-invitations:${accountId}`
  const retryAfter = await ctx.rateLimiter.count(subject, MAX_PER_DAY_IF_NEW, DAY_SECONDS)
  if (retryAfter !== undefined) throw new AppError('new_account_limited', { retryAfter })
}

function toUrl({ config }: Context, token: string): string {
  return `${config.baseUrl}/console/invitations/${token}`
}

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
