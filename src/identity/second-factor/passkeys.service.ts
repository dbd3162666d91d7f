import { randomBytes } from 'node:crypto'
import type { Context, WebContext } from '../../context.ts'
import type { Db } from '../../db/pool.ts'
import { inTransaction } from '../../db/transaction.ts'
import { AppError, invalid } from '../../errors.ts'
import { requireText } from '../../text.ts'
import { requirePasswordSignIn } from '../password-sign-in.ts'
import type { Origin } from '../session.service.ts'
import { generateToken, hashToken, SECOND_STEP_MS, type Session } from '../session.ts'
import { addFactor, removeFactor } from './change-factor.ts'
import * as queries from './passkey.queries.ts'
import {
  getRelyingParty,
  type RelyingParty,
  toCreationOptions,
  toRequestOptions,
} from './passkey-options.ts'
import {
  consumeChallenge,
  consumePendingSignIn,
  insertUnknownSignIn,
  storeChallenge,
} from './pending-sign-in.queries.ts'
import { consumeSetup, findSetup, lockUser, storeSetup } from './second-factor.service.ts'
import { SETUP_MINUTES } from './second-factor.ts'
import { completeSignIn, findPending, isAwaitingPasskey } from './second-step.service.ts'
import { readCredentialId, verifyAssertion, verifyCreation } from './verify-passkey.ts'

const MAX_NAME_LENGTH = 50
const MAX_PASSKEYS = 20
/**
 * The maximum number of requests per minute and IP address to start or complete a sign-in with a
 * passkey.
 */
const PER_MINUTE = 60

type CreationOptions = ReturnType<typeof toCreationOptions>
type RequestOptions = ReturnType<typeof toRequestOptions>

/** Returns whether browsers support passkeys for `BASE_URL`. */
export function hasPasskeys({ config }: Context): boolean {
  return getRelyingParty(config) !== undefined
}

/** @throws AppError `invalid_input` naming `name` */
export function checkPasskeyName(name: string): string {
  return requireText('name', name, MAX_NAME_LENGTH)
}

/**
 * Starts the creation of a passkey in a session. Returns the options for the browser.
 *
 * @throws AppError `not_found` if passkeys are not available, `too_many_passkeys`, `invalid_input`
 * naming `name`
 */
export async function startPasskeySetup(
  ctx: Context,
  db: Db,
  { id, user }: Session,
  name: string,
): Promise<CreationOptions> {
  const rp = requireRelyingParty(ctx)
  const checkedName = checkPasskeyName(name)
  const credentials = await queries.findCredentials(db, user.id)
  if (credentials.length >= MAX_PASSKEYS) throw new AppError('too_many_passkeys')
  const challenge = randomBytes(32)
  const expiresAt = new Date(ctx.clock().getTime() + SETUP_MINUTES * 60_000)
  await storeSetup(db, id, { kind: 'passkey', secret: challenge, name: checkedName, expiresAt })
  return toCreationOptions({ rp, challenge, credentials, user })
}

/**
 * Adds a passkey that the browser has created. Returns new recovery codes if the user has none.
 *
 * @throws AppError `not_found` if passkeys are not available, `invalid_input` naming `credential`,
 * `form_expired`
 */
export async function addPasskey(
  ctx: Context,
  db: Db,
  session: Session,
  response: string,
): Promise<string[]> {
  const rp = requireRelyingParty(ctx)
  const now = ctx.clock()
  const setup = await findSetup(db, session.id, 'passkey', now)
  if (!setup) throw new AppError('form_expired')
  const { secret: challenge, name } = setup
  const credential = await verifyCreation(response, { rp, challenge }).catch((error) => {
    throw logRejectedPasskey(ctx, error)
  })
  return addFactor(db, session, async (tx) => {
    if (!(await consumeSetup(tx, session.id, challenge))) throw new AppError('form_expired')
    const passkey = { ...credential, userId: session.user.id, name: name ?? '', now }
    const isNew = await queries.insertPasskey(tx, passkey)
    if (!isNew) throw invalid('credential', 'registered')
  })
}

/** Requires that the signed-in user has this passkey. @throws AppError `not_found` */
export async function requirePasskey(db: Db, { user }: Session, id: number): Promise<void> {
  if (!(await queries.hasPasskey(db, user.id, id))) throw new AppError('not_found')
}

/** Removes a passkey of the signed-in user. @throws AppError `not_found` */
export function removePasskey(db: Db, session: Session, id: number): Promise<void> {
  return removeFactor(db, session, async (tx) => {
    const wasRemoved = await queries.deletePasskey(tx, session.user.id, id)
    if (!wasRemoved) throw new AppError('not_found')
  })
}

/**
 * Starts a sign-in in which a passkey identifies the user. Returns its token.
 *
 * @throws AppError `password_sign_in_off`, `not_found` if passkeys are not available,
 * `rate_limited`
 */
export async function startPasskeySignIn(
  ctx: WebContext,
  db: Db,
  address: string,
): Promise<string> {
  requirePasswordSignIn(ctx)
  requireRelyingParty(ctx)
  await countRequest(ctx, address)
  const token = generateToken()
  const expiresAt = new Date(ctx.clock().getTime() + SECOND_STEP_MS)
  await insertUnknownSignIn(db, { hash: hashToken(token), expiresAt })
  return token
}

/**
 * Creates a new challenge for a pending sign-in. Returns the options for the browser to sign it, or
 * undefined if passkeys are not available or the user has none.
 */
export async function challengePasskey(
  ctx: WebContext,
  db: Db,
  token: string,
  userId: number | undefined,
): Promise<RequestOptions | undefined> {
  const rp = getRelyingParty(ctx.config)
  const credentials = userId === undefined ? [] : await queries.findCredentials(db, userId)
  if (!rp || (userId !== undefined && credentials.length === 0)) return undefined
  const challenge = randomBytes(32)
  await storeChallenge(db, hashToken(token), challenge)
  return toRequestOptions({ rp, challenge, credentials })
}

/**
 * Completes a sign-in with a passkey and returns the session's token.
 *
 * @throws AppError `not_found` if passkeys are not available, `rate_limited`, `invalid_input`
 * naming `credential`, and like `completeSignIn`
 */
export async function completeWithPasskey(
  ctx: WebContext,
  db: Db,
  token: string,
  { response, address, browser }: Origin & { response: string },
): Promise<string> {
  const rp = requireRelyingParty(ctx)
  await countRequest(ctx, address)
  const pending = await findPending(ctx, db, token)
  if (!pending && !(await isAwaitingPasskey(ctx, db, token))) throw new AppError('sign_in_expired')
  const hash = hashToken(token)
  const challenge = await consumeChallenge(db, hash)
  if (!challenge) throw new AppError('sign_in_expired')
  const credentialId = readCredentialId(response)
  const passkey = credentialId && (await queries.findPasskey(db, credentialId))
  if (!passkey) throw logRejectedPasskey(ctx, 'The passkey is unknown.')
  const { user } = passkey
  if (pending && pending.user.id !== user.id)
    throw logRejectedPasskey(ctx, 'It belongs to another user.')
  const counter = await verifyAssertion(response, passkey, { rp, challenge }).catch((error) => {
    throw logRejectedPasskey(ctx, error)
  })
  return inTransaction(db, async (tx) => {
    const now = ctx.clock()
    await lockUser(tx, user.id)
    if (!(await consumePendingSignIn(tx, hash, now))) throw new AppError('sign_in_expired')
    const isUsed = await queries.recordPasskeyUse(tx, { id: passkey.id, counter, now })
    if (!isUsed) throw logRejectedPasskey(ctx, 'It was removed, or its counter is old.')
    const signIn = pending ?? { user, accountId: null, passwordHash: null, invitationHash: null }
    return completeSignIn(ctx, tx, signIn, browser)
  })
}

/**
 * Logs why a passkey was rejected, because this may be an attack. Returns the error for the user.
 */
function logRejectedPasskey(ctx: Context, error: unknown): AppError {
  const reason = (error instanceof Error ? error.message : String(error)).slice(0, 200)
  ctx.log({ reason }, 'rejected a passkey')
  return invalid('credential', 'not_accepted')
}

async function countRequest(ctx: WebContext, address: string): Promise<void> {
  const from = `passkey:${ctx.hashAddress(address)}`
  const retryAfter = await ctx.rateLimiter.count(from, PER_MINUTE)
  if (retryAfter !== undefined) throw new AppError('rate_limited', { retryAfter })
}

function requireRelyingParty({ config }: Context): RelyingParty {
  const rp = getRelyingParty(config)
  if (!rp) throw new AppError('not_found')
  return rp
}
