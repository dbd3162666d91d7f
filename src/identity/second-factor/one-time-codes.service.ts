import { createHmac, randomBytes } from 'node:crypto'
import { equalsInConstantTime } from '../../constant-time.ts'
import type { Context, WebContext } from '../../context.ts'
import type { Db } from '../../db/pool.ts'
import { AppError } from '../../errors.ts'
import { findChosenName } from '../../site-name.ts'
import type { Session } from '../session.ts'
import { countAttempt } from '../sign-in-attempts.ts'
import type { User } from '../user.ts'
import { addFactor, removeFactor } from './change-factor.ts'
import * as queries from './one-time-codes.queries.ts'
import { encodeBase32, hashRecoveryCode } from './recovery-code.ts'
import { consumeSetup, findSetup, storeSetup } from './second-factor.service.ts'
import { SETUP_MINUTES } from './second-factor.ts'

const STEP_MS = 30_000

const DIGITS = 6

/**
 * The number of time steps accepted before and after the current one, because clocks differ and
 * some people type slowly.
 */
const WINDOW = 1

/** The secret for an authenticator app, as text and as a URL for a QR code. */
export type CodeSetup = { secret: string; url: string }

/**
 * The maximum number of guesses at a six-digit code per day. Three in a million codes are valid at
 * any time, so ten guesses a minute would find one within weeks.
 */
const MAX_PER_DAY = 100

/** Starts the setup of one-time codes in a session. They stay off until a code confirms them. */
export async function startCodeSetup(ctx: Context, db: Db, session: Session): Promise<CodeSetup> {
  const secret = generateSecret()
  const expiresAt = new Date(ctx.clock().getTime() + SETUP_MINUTES * 60_000)
  await storeSetup(db, session.id, { kind: 'codes', secret, name: null, expiresAt })
  return toCodeSetup(ctx, session.user, secret)
}

/** Returns the setup in progress. @throws AppError `form_expired` */
export async function getCodeSetup(ctx: Context, db: Db, session: Session): Promise<CodeSetup> {
  const setup = await findSetup(db, session.id, 'codes', ctx.clock())
  if (!setup) throw new AppError('form_expired')
  return toCodeSetup(ctx, session.user, setup.secret)
}

/**
 * Turns on the one-time codes that are being set up in a session. Returns new recovery codes if the
 * user has none. Their text is not stored.
 *
 * @throws AppError `invalid_input` naming `code`, `form_expired`
 */
export async function confirmCodes(
  ctx: Context,
  db: Db,
  session: Session,
  code: string,
): Promise<string[]> {
  const now = ctx.clock()
  const setup = await findSetup(db, session.id, 'codes', now)
  if (!setup) throw new AppError('form_expired')
  const { secret } = setup
  const lastStep = findStep(secret, removeSpaces(code), now)
  if (lastStep === undefined) throw createWrongCodeError()
  return addFactor(db, session, async (tx) => {
    if (!(await consumeSetup(tx, session.id, secret))) throw new AppError('form_expired')
    const codes = { secret, lastStep, now }
    // If another session has already turned them on, its codes must keep working.
    const isNew = await queries.storeOneTimeCodes(tx, session.user.id, codes)
    if (!isNew) throw new AppError('form_expired')
  })
}

/** Turns off one-time codes for the signed-in user. @throws AppError `not_found` */
export function turnOffCodes(db: Db, session: Session): Promise<void> {
  return removeFactor(db, session, async (tx) => {
    const wereOn = await queries.deleteOneTimeCodes(tx, session.user.id)
    if (!wereOn) throw new AppError('not_found')
  })
}

/** Returns whether a text looks like a one-time code. Passwords are longer. */
export function isOneTimeCode(enteredCode: string): boolean {
  return /^\d{6}$/.test(removeSpaces(enteredCode))
}

/**
 * Counts a guess at a user's code. Returns the function to call if the code is correct.
 *
 * @throws AppError `rate_limited`
 */
export async function countCodeGuess(
  ctx: WebContext,
  db: Db,
  { id }: User,
  { enteredCode, address }: { enteredCode: string; address: string },
): Promise<() => Promise<void>> {
  const { retryAfter, recordSuccess } = await countAttempt(ctx, db, {
    kind: 'code',
    name: String(id),
    address,
    maxPerDay: isOneTimeCode(enteredCode) ? MAX_PER_DAY : undefined,
  })
  if (retryAfter !== undefined) throw new AppError('rate_limited', { retryAfter })
  return recordSuccess
}

/**
 * Checks a one-time or recovery code and marks it as used. Returns false if it is wrong or has
 * already been used.
 */
export async function consumeCode(
  ctx: Context,
  db: Db,
  userId: number,
  enteredCode: string,
): Promise<boolean> {
  if (isOneTimeCode(enteredCode)) {
    const secret = await queries.findSecret(db, userId)
    const step = secret && findStep(secret, removeSpaces(enteredCode), ctx.clock())
    return step !== undefined && queries.consumeStep(db, userId, secret as Buffer, step)
  }
  const hash = hashRecoveryCode(enteredCode)
  return hash !== undefined && queries.consumeRecoveryCode(db, userId, hash)
}

/**
 * Checks a one-time code of the signed-in user and marks it as used.
 *
 * @throws AppError `invalid_input` naming `code`, `rate_limited`
 */
export async function verifyCode(
  ctx: WebContext,
  db: Db,
  user: User,
  attempt: { enteredCode: string; address: string },
): Promise<void> {
  const recordSuccess = await countCodeGuess(ctx, db, user, attempt)
  if (!(await consumeCode(ctx, db, user.id, attempt.enteredCode))) throw createWrongCodeError()
  await recordSuccess()
}

export function createWrongCodeError(): AppError {
  return new AppError('invalid_input', { text: 'rejections.code_wrong', field: 'code' })
}

function toCodeSetup({ config }: Context, { email }: User, secret: Buffer): CodeSetup {
  // Apps separate the issuer from the user by a colon.
  const issuer =
    findChosenName(config)?.replaceAll(/\s*:\s*/g, ' ') ?? new URL(config.baseUrl).hostname
  return { secret: encodeBase32(secret), url: createOtpauthUrl(secret, { issuer, email }) }
}

function removeSpaces(enteredCode: string): string {
  return enteredCode.replaceAll(/\s/g, '')
}

/** Returns a new secret of 160 random bits, as RFC 4226 recommends. */
export function generateSecret(): Buffer {
  return randomBytes(20)
}

/** Returns the code of a time step (RFC 6238 with SHA-1, which all authenticator apps support). */
export function computeCode(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const offset = mac.readUInt8(mac.length - 1) & 0xf
  const number = mac.readUInt32BE(offset) & 0x7fffffff
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0')
}

/** Returns the time step of a moment. */
export function getStep(now: Date): number {
  return Math.floor(now.getTime() / STEP_MS)
}

/**
 * Returns the latest accepted time step with this code, or undefined if the code is wrong at `now`.
 */
export function findStep(secret: Buffer, code: string, now: Date): number | undefined {
  const current = getStep(now)
  const steps = Array.from({ length: 2 * WINDOW + 1 }, (_, index) => current + WINDOW - index)
  return steps.find((step) => equalsInConstantTime(computeCode(secret, step), code))
}

/** Returns the URL in the QR code for authenticator apps. */
export function createOtpauthUrl(
  secret: Buffer,
  { issuer, email }: { issuer: string; email: string },
) {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(email)}`
  const query = `secret=${encodeBase32(secret)}&issuer=${encodeURIComponent(issuer)}`
  return `otpauth://totp/${label}?${query}`
}
