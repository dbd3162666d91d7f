import { createHash } from 'node:crypto'
import type { WebContext } from '../context.ts'
import type { Db } from '../db/pool.ts'
import {
  countHit,
  DAILY_PREFIX,
  DAY_SECONDS,
  hasHits,
  WINDOW_SECONDS,
} from '../db/rate-window.queries.ts'
import type { CountedHit } from './rate-limiter.ts'

/**
 * The result of counting an attempt: rejected, with the seconds to wait, or allowed. If an allowed
 * attempt succeeds, call `recordSuccess`, which removes it from the counts.
 */
export type Attempt =
  | { retryAfter: number; recordSuccess?: undefined }
  | { retryAfter?: undefined; recordSuccess: () => Promise<void> }

export type AttemptInput = {
  /**
   * The kind of secret. Each kind has its own counters, so password guesses do not use up attempts
   * for codes.
   */
  kind: 'sign-in' | 'code'
  /** The entered email address, or the id of the user. There may be no such user. */
  name: string
  address: string
  /** An additional daily limit, for short secrets. */
  maxPerDay?: number | undefined
}

/**
 * The maximum number of attempts per minute, for an IP address and for an account. One IP address
 * may use half of an account's attempts.
 */
const MAX_ATTEMPTS_PER_MINUTE = 10

/**
 * Counts an attempt against the IP address and the account, whether or not the account exists.
 * Returns the seconds to wait, or the function to call if the attempt succeeds.
 */
export async function countAttempt(
  ctx: WebContext,
  db: Db,
  { maxPerDay, ...attempted }: AttemptInput,
): Promise<Attempt> {
  const { fromAddress, atAccount, fromAddressAtAccount, knownKey } = createRateLimitKeys(
    ctx,
    attempted,
  )
  const counted: CountedHit[] = []
  const count = async (key: string, max: number, seconds = WINDOW_SECONDS) => {
    const hit = await ctx.rateLimiter.attempt(key, max, seconds)
    if (hit.retryAfter === undefined) counted.push(hit)
    return hit.retryAfter
  }
  // An IP address over its limit must not also use up the account's attempts.
  let retryAfter =
    (await count(fromAddress, MAX_ATTEMPTS_PER_MINUTE)) ??
    (await count(fromAddressAtAccount, MAX_ATTEMPTS_PER_MINUTE / 2))
  if (retryAfter !== undefined) return { retryAfter }
  // An IP address that recently succeeded is not locked out by guesses from other addresses.
  const isKnown = await hasHits(db, knownKey, DAY_SECONDS)
  if (!isKnown) retryAfter = await count(atAccount, MAX_ATTEMPTS_PER_MINUTE)
  if (retryAfter === undefined && maxPerDay !== undefined) {
    const key = `${DAILY_PREFIX}all-${isKnown ? fromAddressAtAccount : atAccount}`
    retryAfter = await count(key, maxPerDay, DAY_SECONDS)
  }
  if (retryAfter !== undefined) return { retryAfter }
  return {
    async recordSuccess() {
      await countHit(db, knownKey, DAY_SECONDS)
      for (const { undo } of counted) await undo()
    },
  }
}

/** For one day, prevents guesses from other IP addresses from locking out this one. */
export async function recordKnownAddress(
  ctx: WebContext,
  db: Db,
  attempted: Omit<AttemptInput, 'maxPerDay'>,
): Promise<void> {
  await countHit(db, createRateLimitKeys(ctx, attempted).knownKey, DAY_SECONDS)
}

/** Creates the keys under which attempts are counted and successful IP addresses are stored. */
function createRateLimitKeys(
  ctx: WebContext,
  { kind, name, address }: Omit<AttemptInput, 'maxPerDay'>,
) {
  const hashedAddress = ctx.hashAddress(address)
  const hashed = createHash('sha256').update(name.toLowerCase()).digest('base64url')
  const atAccount = `${kind}-as:${hashed}`
  const fromAddressAtAccount = `${atAccount}:${hashedAddress}`
  return {
    fromAddress: `${kind}:${hashedAddress}`,
    atAccount,
    fromAddressAtAccount,
    knownKey: `${DAILY_PREFIX}${fromAddressAtAccount}`,
  }
}
