import { createHash } from 'node:crypto'
import type { Context, WebContext } from '../context.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction } from '../db/transaction.ts'
import { AppError, invalid } from '../errors.ts'
import type { Account } from './account.ts'
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

export type SignInResult =
  | { token: string; account: Account; rejection?: undefined }
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
  const { account, passwordHash } = found
  if (account.suspended) return { rejection: 'account_suspended' }
  const token = await insertSession(ctx, db, account.id, { passwordHash, browser })
  return token === undefined ? { rejection: 'wrong' } : { token, account }
}

/**
 * Signs in the owner of an account who has just set its password, and returns the session's token.
 * Guesses at the account from elsewhere do not keep this address out from now on.
 */
export async function signInTrusted(
  ctx: WebContext,
  db: Db,
  { id, email }: Account,
  { address, browser }: Origin,
): Promise<string> {
  await countHit(db, rateLimitKeys(ctx, email, address).known, DAY_SECONDS)
  return createSession(ctx, db, id, browser)
}

/** Signs in an account and returns the session's token. @throws AppError `not_found` */
export async function createSession(
  ctx: Context,
  db: Db,
  accountId: number,
  browser?: string,
): Promise<string> {
  const token = await insertSession(ctx, db, accountId, { browser })
  if (token === undefined) throw new AppError('not_found')
  return token
}

/** Returns the session of `token`; undefined if it has ended or the account is suspended. */
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
  { id, email }: Account,
  { password, address }: Pick<SignIn, 'password' | 'address'>,
): Promise<void> {
  const { retryAfter, recordSuccess } = await countAttempt(ctx, db, email, address)
  if (retryAfter !== undefined) throw new AppError('rate_limited', undefined, { retryAfter })
  const hash = (await queries.findPasswordHash(db, id)) ?? DECOY_HASH
  if (!(await ctx.passwords.sessions.matches(ctx.hashAddress(address), hash, password))) {
    throw invalid('currentPassword', 'is not the password of this account')
  }
  await recordSuccess()
}

/** Lists the account's sessions that have not ended, the most recently used first. */
export function listSessions(ctx: Context, db: Db, accountId: number): Promise<ListedSession[]> {
  return queries.listSessions(db, accountId, ctx.clock())
}

/** Ends one session of the account; does nothing if there is none. */
export function endOwnSession(db: Db, accountId: number, id: number): Promise<void> {
  return queries.deleteOwnSession(db, accountId, id)
}

/** Ends all sessions of the account but `stays`. */
export function endOtherSessions(db: Db, accountId: number, stays: number): Promise<void> {
  return queries.deleteSessionsOf(db, accountId, stays)
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

/** Returns the new session's token; undefined if the password is no longer the one that was checked. */
async function insertSession(
  ctx: Context,
  db: Db,
  accountId: number,
  { passwordHash, browser }: { passwordHash?: string; browser?: string | undefined },
): Promise<string | undefined> {
  const token = generateToken()
  const now = ctx.clock()
  return inTransaction(db, async (tx) => {
    const hash = hashToken(token)
    const values = { accountId, hash, now, passwordHash, browser }
    const inserted = await queries.insertSession(tx, values)
    if (inserted) await queries.trimSessions(tx, accountId, now)
    return inserted ? token : undefined
  })
}
