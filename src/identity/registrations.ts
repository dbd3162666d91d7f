import type { WebContext } from '../context.ts'
import type { Db } from '../db/pool.ts'
import { countHit, DAILY_PREFIX, DAY_SECONDS, removeHit } from '../db/rate-window.queries.ts'
import { createAccount } from './account.service.ts'
import type { NewAccount } from './account.ts'
import { requirePasswordSignIn } from './password-sign-in.ts'

/** The maximum number of attempts per minute and IP address. */
const ATTEMPTS_PER_MINUTE = 10

/**
 * Registers an account for a visitor. Returns it with its first key, or the reason why it was
 * rejected and the seconds to wait. Attempts per minute and accounts per day are limited per IP
 * address, because each attempt hashes a password and reveals whether an email address has an
 * account.
 *
 * @throws AppError `password_sign_in_off`, `invalid_input` naming the field, `email_taken`,
 * `username_taken`, `busy`
 */
export async function register(ctx: WebContext, db: Db, input: NewAccount, address: string) {
  requirePasswordSignIn(ctx)
  const caller = ctx.hashAddress(address)
  const hash = (password: string) => ctx.passwords.registrations.hash(caller, password)
  const retryAfter = await ctx.rateLimiter.count(`register:${caller}`, ATTEMPTS_PER_MINUTE)
  if (retryAfter !== undefined) return createRejection('rate_limited', { retryAfter })
  const { registrationsPerDay } = ctx.config
  if (registrationsPerDay === 0) return createAccount(ctx, db, input, hash)
  const subject = `${DAILY_PREFIX}register:${caller}`
  const registered = await countHit(db, subject, DAY_SECONDS)
  if (registered.hits > registrationsPerDay)
    return createRejection('registration_limited', registered)
  try {
    return await createAccount(ctx, db, input, hash)
  } catch (error) {
    // Only created accounts count toward the daily limit. The visitor may correct a rejected
    // attempt.
    await removeHit(db, subject, registered.startedAt)
    throw error
  }
}

function createRejection(
  code: 'rate_limited' | 'registration_limited',
  { retryAfter }: { retryAfter: number },
) {
  return { rejection: code, retryAfter }
}
