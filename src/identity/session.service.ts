import type { Context, WebContext } from '../context.ts'
import { unscoped } from '../db/account-rows.ts'
import { isReadOnlyError } from '../db/connection-error.ts'
import type { Db } from '../db/pool.ts'
import { AppError, invalid } from '../errors.ts'
import type { AccountScope, Scope } from '../scope.ts'
import { isStorable } from '../text.ts'
import { DECOY_HASH } from './argon.ts'
import { requirePasswordSignIn } from './password-sign-in.ts'
import * as queries from './session.queries.ts'
import {
  getSessionCutoffs,
  hashToken,
  isWellFormedToken,
  type ListedSession,
  type Session,
  USE_UPDATE_MS,
} from './session.ts'
import { countAttempt, recordKnownAddress } from './sign-in-attempts.ts'
import { type StartedSession, startSession } from './start-session.ts'
import { findPasswordHash } from './user.queries.ts'
import { getOwner } from './user.service.ts'
import type { User } from './user.ts'

/** The IP address and browser of a sign-in. */
export type Origin = {
  address: string
  /** The name of the browser in the list of sessions. */
  browser?: string | undefined
}

export type SignIn = Origin & { email: string; password: string }

/** The reason why a password was rejected. */
type BadCredentials = { rejection: 'wrong' | 'rate_limited'; retryAfter?: number }

export type SignInResult =
  | (StartedSession & { user: User; rejection?: undefined })
  | { rejection: 'no_account'; user: User; retryAfter?: undefined }
  | BadCredentials
  | { rejection: 'account_suspended'; retryAfter?: undefined }

/** The maximum numbers of changes and of previews per minute for a signed-in account. */
const MAX_CHANGES_PER_MINUTE = 120
const MAX_PREVIEWS_PER_MINUTE = 300

/**
 * Signs in with an email address and a password. Users with a second factor get a pending sign-in.
 * Neither the response nor its timing reveals whether the email address or the password was wrong.
 *
 * @throws AppError `password_sign_in_off`, `busy`, `database_unavailable`
 */
export async function signIn(
  ctx: WebContext,
  db: Db,
  { browser, ...credentials }: SignIn,
): Promise<SignInResult> {
  const checked = await checkCredentials(ctx, db, credentials)
  if (checked.rejection) return checked
  const { user, passwordHash } = checked
  const started = await startSession(ctx, db, { userId: user.id, passwordHash, browser })
  if (!('rejection' in started)) return { ...started, user }
  const { rejection } = started
  if (rejection === 'no_account') return { rejection, user }
  return { rejection: rejection === 'changed' ? 'wrong' : rejection }
}

/**
 * Checks an email address and a password without creating a session.
 *
 * @throws AppError `password_sign_in_off`, `busy`, `database_unavailable`
 */
export async function checkCredentials(
  ctx: WebContext,
  db: Db,
  { email, password, address }: Omit<SignIn, 'browser'>,
): Promise<{ user: User; passwordHash: string; rejection?: undefined } | BadCredentials> {
  requirePasswordSignIn(ctx)
  const name = email.trim()
  const { retryAfter, recordSuccess } = await countAttempt(ctx, db, {
    kind: 'sign-in',
    name,
    address,
  })
  if (retryAfter !== undefined) return { rejection: 'rate_limited', retryAfter }
  // PostgreSQL cannot store such text, so no user has it as an email address.
  const credentials = isStorable(name) ? await queries.findCredentials(db, name) : undefined
  const hash = credentials?.passwordHash ?? DECOY_HASH
  const matches = await ctx.passwords.sessions.verify(ctx.hashAddress(address), hash, password)
  if (!credentials?.passwordHash || !matches) return { rejection: 'wrong' }
  await recordSuccess()
  return { user: credentials.user, passwordHash: credentials.passwordHash }
}

/**
 * Signs in a user who has just set a password. Users with a second factor get a pending sign-in.
 * From then on, password guesses from other IP addresses do not lock this one out.
 *
 * @throws AppError `account_suspended`, `no_account`
 */
export async function signInTrusted(
  ctx: WebContext,
  db: Db,
  { id, email }: User,
  { address, ...origin }: Origin & { accountId?: number },
): Promise<StartedSession> {
  await recordKnownAddress(ctx, db, { kind: 'sign-in', name: email, address })
  const started = await startSession(ctx, db, { userId: id, ...origin })
  if (!('rejection' in started)) return started
  const { rejection } = started
  throw new AppError(rejection === 'changed' ? 'no_account' : rejection)
}

/**
 * Signs in a user whom the identity provider has authenticated, and returns the session's token.
 *
 * @throws AppError `account_suspended`, `no_account`
 */
export async function signInByProvider(
  ctx: Context,
  db: Db,
  userId: number,
  { browser, accountId }: { browser?: string | undefined; accountId?: number | undefined },
): Promise<string> {
  // The provider has verified the user, including any second factor.
  const started = await startSession(ctx, db, {
    userId,
    browser,
    accountId,
    hasVerifiedFactor: true,
  })
  if ('rejection' in started && started.rejection !== 'changed')
    throw new AppError(started.rejection)
  if (!('token' in started) || started.token === undefined) throw new AppError('no_account')
  return started.token
}

/**
 * Signs in an account's owner and returns the session's token.
 *
 * @throws AppError `not_found`
 */
export async function createSession(scope: Scope<Context>, browser?: string): Promise<string> {
  const { id } = await getOwner(scope)
  const started = await startSession(scope, unscoped(scope), {
    userId: id,
    accountId: scope.accountId,
    browser,
  })
  if (!('token' in started) || started.token === undefined) throw new AppError('not_found')
  return started.token
}

/**
 * Switches a session to another account of its user.
 *
 * @throws AppError `not_found`, also for a suspended account
 */
export async function switchAccount(scope: AccountScope, { id, user }: Session): Promise<void> {
  const isMember = await queries.updateSessionAccount(unscoped(scope), {
    id,
    userId: user.id,
    accountId: scope.accountId,
  })
  if (!isMember) throw new AppError('not_found')
}

/**
 * Returns the session of `token`, or undefined if it has ended, the account is suspended, or the
 * user is no longer a member.
 */
export async function findSession(
  ctx: Context,
  db: Db,
  token: string,
): Promise<Session | undefined> {
  if (!isWellFormedToken(token)) return undefined
  const now = ctx.clock()
  const storedSession = await queries.findSession(db, hashToken(token), now)
  if (!storedSession) return undefined
  const { lastUsedAt, ...session } = storedSession
  session.user.hasPassword &&= ctx.config.passwordSignIn
  if (Math.abs(now.getTime() - lastUsedAt.getTime()) > USE_UPDATE_MS) {
    // While the database is read-only, people stay signed in.
    await queries.touchSession(db, session.id, now).catch((error: unknown) => {
      if (!isReadOnlyError(error)) throw error
    })
  }
  return session
}

/** Ends the session of `token`, if it exists. */
export async function endSession(db: Db, token: string): Promise<void> {
  if (isWellFormedToken(token)) await queries.deleteSession(db, hashToken(token))
}

/**
 * Verifies the signed-in user's password again. The attempt counts like a sign-in, because someone
 * else may be using the browser.
 *
 * @throws AppError `invalid_input` naming `currentPassword`, `rate_limited`, `busy`
 */
export async function verifyPassword(
  ctx: WebContext,
  db: Db,
  { id, email }: User,
  { password, address }: Pick<SignIn, 'password' | 'address'>,
): Promise<void> {
  const attempted = { kind: 'sign-in', name: email, address } as const
  const { retryAfter, recordSuccess } = await countAttempt(ctx, db, attempted)
  if (retryAfter !== undefined) throw new AppError('rate_limited', { retryAfter })
  const hash = (await findPasswordHash(db, id)) ?? DECOY_HASH
  if (!(await ctx.passwords.sessions.verify(ctx.hashAddress(address), hash, password))) {
    throw invalid('currentPassword', 'not_own_password')
  }
  await recordSuccess()
}

/** Returns the user's sessions that have not ended, most recently used first. */
export async function listSessions(
  { clock }: Context,
  db: Db,
  userId: number,
): Promise<ListedSession[]> {
  const { minLastUsedAt, minCreatedAt } = getSessionCutoffs(clock())
  return db
    .selectFrom('sessions')
    .select(['id', 'browser', 'created_at as createdAt', 'last_used_at as lastUsedAt'])
    .where('user_id', '=', userId)
    .where('last_used_at', '>', minLastUsedAt)
    .where('created_at', '>', minCreatedAt)
    .orderBy('last_used_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
}

/** Ends a session of the user, if it exists. */
export async function endOwnSession(db: Db, userId: number, id: number): Promise<void> {
  await db.deleteFrom('sessions').where('user_id', '=', userId).where('id', '=', id).execute()
}

/** Counts a change by an account. Returns the seconds to wait if the limit is exceeded. */
export function countChange(ctx: Context, accountId: number): Promise<number | undefined> {
  return ctx.rateLimiter.count(`console:${accountId}`, MAX_CHANGES_PER_MINUTE)
}

/** Counts a preview, like `countChange`. */
export function countPreview(ctx: Context, accountId: number): Promise<number | undefined> {
  return ctx.rateLimiter.count(`preview:${accountId}`, MAX_PREVIEWS_PER_MINUTE)
}
