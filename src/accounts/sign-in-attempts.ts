import { createHash } from 'node:crypto'
import type { WebContext } from '../context.ts'
import type { Db } from '../db/pool.ts'
import type { CountedHit } from './rate-limiter.ts'
import { countHit, DAILY, DAY_SECONDS, hasHits, WINDOW_SECONDS } from './rate-window.queries.ts'

/** An attempt over a limit, or one that stops counting if it succeeds. */
export type Attempt =
  | { retryAfter: number; recordSuccess?: undefined }
  | { retryAfter?: undefined; recordSuccess: () => Promise<void> }

export type Attempted = {
  /** Each kind has its own counters: guesses at passwords do not use up those at codes. */
  kind: 'sign-in' | 'code'
  /** The user's name. There may be no such user. */
  name: string
  address: string
  /** An additional limit for short secrets. */
  maxPerDay?: number | undefined
}

/** Attempts per minute, per address and per account. Each address may use half of an account's. */
const ATTEMPTS = 10

/**
 * Counts an attempt for the address and for the account, whether or not it exists. Returns the seconds
 * to wait, or the function to call if the attempt succeeds.
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
  // An address over its limit does not also use up the account's.
  let retryAfter =
    (await count(fromAddress, ATTEMPTS)) ?? (await count(fromAddressAtAccount, ATTEMPTS / 2))
  if (retryAfter !== undefined) return { retryAfter }
  // Guesses from other addresses do not lock out an address that recently succeeded.
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

/** Keeps guesses from other addresses from locking out this address for a day. */
export async function recordKnownAddress(
  ctx: WebContext,
  db: Db,
  attempted: Omit<Attempted, 'maxPerDay'>,
): Promise<void> {
  await countHit(db, rateLimitKeys(ctx, attempted).known, DAY_SECONDS)
}

/** Returns the keys under which attempts are counted and a successful address is remembered. */
function rateLimitKeys(ctx: WebContext, { kind, name, address }: Omit<Attempted, 'maxPerDay'>) {
  const from = ctx.hashAddress(address)
  const hashed = createHash('sha256').update(name.toLowerCase()).digest('base64url')
  const atAccount = `${kind}-as:${hashed}`
  const fromAddressAtAccount = `${atAccount}:${from}`
  return {
    ...{ fromAddress: `${kind}:${from}`, atAccount, fromAddressAtAccount },
    known: `${DAILY}${fromAddressAtAccount}`,
  }
}
