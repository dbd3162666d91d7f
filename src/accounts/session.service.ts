import { createHash } from 'node:crypto'
import type { Context, WebContext } from '../context.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction } from '../db/transaction.ts'
import { AppError, invalid } from '../errors.ts'
import { findMemberships } from '../people/member.queries.ts'
import { findPasswordHash } from '../people/user.queries.ts'
import { getOwner } from '../people/user.service.ts'
import type { User } from '../people/user.ts'
import { DECOY_HASH } from './argon.ts'
import type { CountedHit } from './rate-limiter.ts'
import { countHit, DAILY, DAY_SECONDS, hasHits } from './rate-window.queries.ts'
import * as queries from './session.queries.ts'
import {
  generateToken,
  hashToken,
  isWellFormedToken,
  type ListedSession,
  type Session,
  USE_EVERY,
} from './session.ts'

/** Where a session is created. */
export type Origin = {
  address: string
  /** The name under which the session is listed. */
  browser?: string | undefined
}

export type SignIn = Origin & { email: string; password: string }

/** An attempt over a limit, or one that is taken back if it succeeds. */
type Attempt =
  | { retryAfter: number; recordSuccess?: undefined }
  | { retryAfter?: undefined; recordSuccess: () => Promise<void> }

/** The reason why a user has no account to work in. */
type NoAccount = 'account_suspended' | 'no_account'

export type SignInResult =
  | { token: string; user: User; rejection?: undefined }
  | { rejection: 'no_account'; user: User; retryAfter?: undefined }
  | { rejection: 'wrong' | 'account_suspended' | 'rate_limited'; retryAfter?: number }

/** Attempts per minute, per address and per account. Each address may use half of an account's. */
const ATTEMPTS = 10
/** Changes and previews per minute for a signed-in account. */
const CHANGES = 120
const PREVIEWS = 300

/**
 * Signs in with an email address and a password. Neither the response nor its timing reveals which
 * of the two was wrong.
 *
 * @throws AppError `busy`, `database_unavailable`
 */
export async function signIn(
  ctx: WebContext,
  db: Db,
  { email, password, address, browser }: SignIn,
): Promise<SignInResult> {
  const name = email.trim()
  const { retryAfter, recordSuccess } = await countAttempt(ctx, db, name, address)
  if (retryAfter !== undefined) return { rejection: 'rate_limited', retryAfter }
  // Text that PostgreSQL cannot store is not an email address of any user.
  const storable = !name.includes('\0') && name.isWellFormed()
  const found = storable ? await queries.findCredentials(db, name) : undefined
  const hash = found?.passwordHash ?? DECOY_HASH
  const matches = await ctx.passwords.sessions.matches(ctx.hashAddress(address), hash, password)
  if (!found || !matches) return { rejection: 'wrong' }
  await recordSuccess()
  const { user, passwordHash } = found
  const account = await firstAccount(db, user.id)
  if ('rejection' in account) {
    const { rejection } = account
    return rejection === 'no_account' ? { rejection, user } : { rejection }
  }
  const { accountId } = account
  const checked = { passwordHash: passwordHash ?? undefined, browser }
  const token = await insertSession(ctx, db, { userId: user.id, accountId, ...checked })
  return token === undefined ? { rejection: 'wrong' } : { token, user }
}

/**
 * Signs in a user who has just set a password, and returns the session's token. From now on,
 * password guesses from other addresses do not lock this address out.
 *
 * @throws AppError `account_suspended`, `no_account`
 */
export async function signInTrusted(
  ctx: WebContext,
  db: Db,
  { id, email }: User,
  { address, browser, accountId: wanted }: Origin & { accountId?: number },
): Promise<string> {
  await countHit(db, rateLimitKeys(ctx, email, address).known, DAY_SECONDS)
  const account = wanted === undefined ? await firstAccount(db, id) : { accountId: wanted }
  if ('rejection' in account) throw new AppError(account.rejection)
  const token = await insertSession(ctx, db, { userId: id, ...account, browser })
  if (token === undefined) throw new AppError('no_account')
  return token
}

/**
 * Signs in an account's owner and returns the session's token.
 *
 * @throws AppError `not_found`
 */
export async function createSession(
  ctx: Context,
  db: Db,
  accountId: number,
  browser?: string,
): Promise<string> {
  const { id } = await getOwner(db, accountId)
  const token = await insertSession(ctx, db, { userId: id, accountId, browser })
  if (token === undefined) throw new AppError('not_found')
  return token
}

/**
 * Switches a session to another account of its user.
 *
 * @throws AppError `not_found`
 */
export async function switchAccount(
  db: Db,
  { id, user }: Session,
  accountId: number,
): Promise<void> {
  const isMember = await queries.updateSessionAccount(db, { id, userId: user.id, accountId })
  if (!isMember) throw new AppError('not_found')
}

/** Returns the account that a user works in after signing in: preferably one they own. */
async function firstAccount(
  db: Db,
  userId: number,
): Promise<{ accountId: number } | { rejection: NoAccount }> {
  const memberships = await findMemberships(db, userId)
  const open = memberships.find(({ suspended }) => !suspended)
  if (open) return { accountId: open.accountId }
  return { rejection: memberships.length > 0 ? 'account_suspended' : 'no_account' }
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
  const found = await queries.findSession(db, hashToken(token), now)
  if (!found) return undefined
  const { lastUsedAt, ...session } = found
  if (Math.abs(now.getTime() - lastUsedAt.getTime()) > USE_EVERY) {
    await queries.touchSession(db, session.id, now)
  }
  return session
}

/** Ends the session of `token`, if it exists. */
export async function endSession(db: Db, token: string): Promise<void> {
  if (isWellFormedToken(token)) await queries.deleteSession(db, hashToken(token))
}

/**
 * Re-verifies the signed-in user's password. Counts like a sign-in, because someone else may be
 * using the browser.
 *
 * @throws AppError `invalid_input` naming `currentPassword`, `rate_limited`, `busy`
 */
export async function verifyPassword(
  ctx: WebContext,
  db: Db,
  { id, email }: User,
  { password, address }: Pick<SignIn, 'password' | 'address'>,
): Promise<void> {
  const { retryAfter, recordSuccess } = await countAttempt(ctx, db, email, address)
  if (retryAfter !== undefined) throw new AppError('rate_limited', undefined, { retryAfter })
  const hash = (await findPasswordHash(db, id)) ?? DECOY_HASH
  if (!(await ctx.passwords.sessions.matches(ctx.hashAddress(address), hash, password))) {
    throw invalid('currentPassword', 'is not your password')
  }
  await recordSuccess()
}

/** Returns the user's sessions that have not ended, most recently used first. */
export function listSessions(ctx: Context, db: Db, userId: number): Promise<ListedSession[]> {
  return queries.listSessions(db, userId, ctx.clock())
}

/** Ends a session of the user, if it exists. */
export function endOwnSession(db: Db, userId: number, id: number): Promise<void> {
  return queries.deleteOwnSession(db, userId, id)
}

/** Ends all sessions of the user except `stays`. */
export function endOtherSessions(db: Db, userId: number, stays: number): Promise<void> {
  return queries.deleteSessionsOf(db, userId, stays)
}

/** Counts a change by an account. Returns the seconds to wait if there were too many. */
export function countChange(ctx: Context, accountId: number): Promise<number | undefined> {
  return ctx.rateLimiter.count(`console:${accountId}`, CHANGES)
}

/** Counts a preview, like `countChange`. */
export function countPreview(ctx: Context, accountId: number): Promise<number | undefined> {
  return ctx.rateLimiter.count(`preview:${accountId}`, PREVIEWS)
}

/**
 * Counts an attempt for the address and for the account, whether or not it exists. Returns the
 * seconds to wait, or the function to call if the password is right.
 */
async function countAttempt(
  ctx: WebContext,
  db: Db,
  email: string,
  address: string,
): Promise<Attempt> {
  const { fromAddress, atAccount, fromAddressAtAccount, known } = rateLimitKeys(ctx, email, address)
  const counted: CountedHit[] = []
  const recordSuccess = async () => {
    await countHit(db, known, DAY_SECONDS)
    for (const { takeBack } of counted) await takeBack()
  }
  // An address over its limit does not also use up the account's.
  for (const [key, most] of [
    [fromAddress, ATTEMPTS],
    [fromAddressAtAccount, ATTEMPTS / 2],
    [atAccount, ATTEMPTS],
  ] as const) {
    // Guesses from other addresses do not lock out an address that recently signed in.
    if (key === atAccount && (await hasHits(db, known, DAY_SECONDS))) break
    const hit = await ctx.rateLimiter.attempt(key, most)
    if (hit.retryAfter !== undefined) return hit
    counted.push(hit)
  }
  return { recordSuccess }
}

/**
 * Returns the keys under which attempts are counted and under which a successful address is
 * remembered.
 */
function rateLimitKeys(ctx: WebContext, email: string, address: string) {
  const from = ctx.hashAddress(address)
  const name = createHash('sha256').update(email.toLowerCase()).digest('base64url')
  const atAccount = `sign-in-as:${name}`
  const fromAddressAtAccount = `${atAccount}:${from}`
  return {
    ...{ fromAddress: `sign-in:${from}`, atAccount, fromAddressAtAccount },
    known: `${DAILY}${fromAddressAtAccount}`,
  }
}

type NewSession = {
  userId: number
  accountId: number
  passwordHash?: string | undefined
  browser?: string | undefined
}

/**
 * Returns the new session's token, or undefined if the password has changed since it was verified,
 * or the user is not a member of the account.
 */
async function insertSession(
  ctx: Context,
  db: Db,
  session: NewSession,
): Promise<string | undefined> {
  const token = generateToken()
  const now = ctx.clock()
  return inTransaction(db, async (tx) => {
    const inserted = await queries.insertSession(tx, { ...session, hash: hashToken(token), now })
    if (inserted) await queries.trimSessions(tx, session.userId, now)
    return inserted ? token : undefined
  })
}
