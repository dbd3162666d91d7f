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

/** Where a session begins. */
export type Origin = {
  address: string
  /** The name under which the session is listed. */
  browser?: string | undefined
}

export type SignIn = Origin & { email: string; password: string }

/** An attempt that is over a limit, or one that may turn out to be right and then does not count. */
type Attempt =
  | { retryAfter: number; recordSuccess?: undefined }
  | { retryAfter?: undefined; recordSuccess: () => Promise<void> }

/** Why a user has no account to work in. */
type NoAccount = 'account_suspended' | 'no_account'

export type SignInResult =
  | { token: string; user: User; rejection?: undefined }
  | { rejection: 'no_account'; user: User; retryAfter?: undefined }
  | { rejection: 'wrong' | 'account_suspended' | 'rate_limited'; retryAfter?: number }

/** Attempts per minute, from one address and at one account; of the latter one address has half. */
const ATTEMPTS = 10
/** Changes and previews per minute that a signed-in account may request. */
const CHANGES = 120
const PREVIEWS = 300

/**
 * Signs in with an email address and a password. Neither the answer nor its time reveals which of the
 * two was wrong.
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
  // Text that PostgreSQL cannot hold is nobody's email address.
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
 * Signs in a user who has just set a password, and returns the session's token. Guesses at the user's
 * password from elsewhere do not keep this address out from now on.
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

/** Signs in the owner of an account and returns the session's token. @throws AppError `not_found` */
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

/** Has a session work in another account of its user. @throws AppError `not_found` */
export async function switchAccount(
  db: Db,
  { id, user }: Session,
  accountId: number,
): Promise<void> {
  const isMember = await queries.updateSessionAccount(db, { id, userId: user.id, accountId })
  if (!isMember) throw new AppError('not_found')
}

/** The account that a user works in after signing in: one of their own, before others. */
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
 * Returns the session of `token`; undefined if it has ended, the account is suspended, or
 * the user is no longer a member of it.
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

/** Ends the session of `token`, if there is one. */
export async function endSession(db: Db, token: string): Promise<void> {
  if (isWellFormedToken(token)) await queries.deleteSession(db, hashToken(token))
}

/**
 * Checks the password of the signed-in user again. Counts like a sign-in, since somebody else may be at
 * the browser.
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

/** Lists the user's sessions that have not ended, the most recently used first. */
export function listSessions(ctx: Context, db: Db, userId: number): Promise<ListedSession[]> {
  return queries.listSessions(db, userId, ctx.clock())
}

/** Ends one session of the user; does nothing if there is none. */
export function endOwnSession(db: Db, userId: number, id: number): Promise<void> {
  return queries.deleteOwnSession(db, userId, id)
}

/** Ends all sessions of the user but `stays`. */
export function endOtherSessions(db: Db, userId: number, stays: number): Promise<void> {
  return queries.deleteSessionsOf(db, userId, stays)
}

/** Counts a change that an account requests; returns the seconds to wait if there were too many. */
export function countChange(ctx: Context, accountId: number): Promise<number | undefined> {
  return ctx.rateLimiter.count(`console:${accountId}`, CHANGES)
}

/** Counts a preview, which changes nothing, in the same way. */
export function countPreview(ctx: Context, accountId: number): Promise<number | undefined> {
  return ctx.rateLimiter.count(`preview:${accountId}`, PREVIEWS)
}

/**
 * Counts an attempt of the address and one at the account, whether there is such an account or not.
 * Returns the seconds to wait, or what to do if the password turns out to be right.
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
  // An address that is over its limit does not use up that of the account as well.
  for (const [key, most] of [
    [fromAddress, ATTEMPTS],
    [fromAddressAtAccount, ATTEMPTS / 2],
    [atAccount, ATTEMPTS],
  ] as const) {
    // Guesses from elsewhere do not keep out whoever was right from here lately.
    if (key === atAccount && (await hasHits(db, known, DAY_SECONDS))) break
    const hit = await ctx.rateLimiter.attempt(key, most)
    if (hit.retryAfter !== undefined) return hit
    counted.push(hit)
  }
  return { recordSuccess }
}

/** Returns what attempts are counted by, and where an address that was right is recorded. */
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
 * Returns the new session's token; undefined if the password is no longer the one that was checked, or
 * the user is no member of the account.
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
