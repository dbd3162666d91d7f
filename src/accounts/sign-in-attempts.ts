import { createHash } from 'node:crypto'
import type { WebContext } from '../context.ts'
import type { Db } from '../db/pool.ts'
import type { CountedHit } from './rate-limiter.ts'
import { countHit, DAILY, DAY_SECONDS, hasHits, WINDOW_SECONDS } from './rate-window.queries.ts'

/**
 * An attempt that is over a limit, or one that the caller can stop counting by recording its
 * success.
 */
export type Attempt =
  | { retryAfter: number; recordSuccess?: undefined }
  | { retryAfter?: undefined; recordSuccess: () => Promise<void> }

export type Attempted = {
  /**
   * The kind of secret. Each kind has its own counters, so password guesses do not use up attempts
   * for codes.
   */
  kind: 'sign-in' | 'code'
  /** The name entered. There may be no such user. */
  name: string
  address: string
  /** An additional daily limit, for short secrets. */
  maxPerDay?: number | undefined
}

/**
 * The maximum number of attempts per minute, for an address and for an account. One address may use
 * half of an account's attempts.
 */
const ATTEMPTS = 10

/**
 * Counts an attempt against the address and the account, whether or not the account exists. Returns
 * the seconds to wait, or the function to call if the attempt succeeds.
 */
export async function countAttempt(
  ctx: WebContext,
  db: Db,
  { maxPerDay, ...attempted }: Attempted,
): Promise<Attempt> {
  const { fromAddress, atAccount, fromAddressAtAccount, known } = rateLimitKeys(ctx, attempted)
  const counted: CountedHit[] = []
  const count = async (key: string, max: number, seconds = WINDOW_SECONDS) => {
    const hit = await ctx.rateLimiter.attempt(key, max, seconds)
    if (hit.retryAfter === undefined) counted.push(hit)
    return hit.retryAfter
  }
  // An address over its limit must not also use up the account's attempts.
  let retryAfter =
    (await count(fromAddress, ATTEMPTS)) ?? (await count(fromAddressAtAccount, ATTEMPTS / 2))
  if (retryAfter !== undefined) return { retryAfter }
  // An address that recently succeeded is not locked out by guesses from other addresses.
  const isKnown = await hasHits(db, known, DAY_SECONDS)
  if (!isKnown) retryAfter = await count(atAccount, ATTEMPTS)
  if (retryAfter === undefined && maxPerDay !== undefined) {
    const key = `${DAILY}all-${isKnown ? fromAddressAtAccount : atAccount}`
    retryAfter = await count(key, maxPerDay, DAY_SECONDS)
  }
  if (retryAfter !== undefined) return { retryAfter }
  return {
    async recordSuccess() {
      await countHit(db, known, DAY_SECONDS)
      for (const { undo } of counted) await undo()
    },
  }
}

/** For one day, prevents guesses from other addresses from locking out this address. */
export async function recordKnownAddress(
  ctx: WebContext,
  db: Db,
  attempted: Omit<Attempted, 'maxPerDay'>,
): Promise<void> {
  await countHit(db, rateLimitKeys(ctx, attempted).known, DAY_SECONDS)
}

/** Returns the keys under which attempts are counted and successful addresses are stored. */
function rateLimitKeys(ctx: WebContext, { kind, name, address }: Omit<Attempted, 'maxPerDay'>) {
  const from = ctx.hashAddress(address)
  const hashed = createHash('sha256').update(name.toLowerCase()).digest('base64url')
  const atAccount = `${kind}-as:${hashed}`
  const fromAddressAtAccount = `${atAccount}:${from}`
  return {
    fromAddress: `${kind}:${from}`,
    atAccount,
    fromAddressAtAccount,
    known: `${DAILY}${fromAddressAtAccount}`,
  }
}
