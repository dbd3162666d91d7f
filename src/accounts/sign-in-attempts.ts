import { createHash } from 'node:crypto'
import type { WebContext } from '../context.ts'
import type { Db } from '../db/pool.ts'
import type { CountedHit } from './rate-limiter.ts'
import { countHit, DAILY, DAY_SECONDS, hasHits, WINDOW_SECONDS } from './rate-window.queries.ts'

/** An attempt that is over a limit, or one that may turn out to be right and then does not count. */
export type Attempt =
  | { retryAfter: number; recordSuccess?: undefined }
  | { retryAfter?: undefined; recordSuccess: () => Promise<void> }

export type Attempted = {
  /** Each kind has its own counters: guesses at passwords do not use up those at codes. */
  kind: 'sign-in' | 'code'
  /** Names the user, whether there is such a user or not. */
  name: string
  address: string
  /** A further limit for secrets that are short. */
  maxPerDay?: number | undefined
}

/** Attempts per minute, from one address and at one account; of the latter one address has half. */
const ATTEMPTS = 10

/**
 * Counts an attempt of the address and one at the account, whether there is such an account or not.
 * Returns the seconds to wait, or what to do if the attempt turns out to be right.
 */
export async function countAttempt(
  ctx: WebContext,
  db: Db,
  { maxPerDay, ...attempted }: Attempted,
): Promise<Attempt> {
  const { fromAddress, atAccount, fromAddressAtAccount, known } = rateLimitKeys(ctx, attempted)
  const counted: CountedHit[] = []
  const count = async (key: string, most: number, seconds = WINDOW_SECONDS) => {
    const hit = await ctx.rateLimiter.attempt(key, most, seconds)
    if (hit.retryAfter === undefined) counted.push(hit)
    return hit.retryAfter
  }
  // An address that is over its limit does not use up that of the account as well.
  let retryAfter =
    (await count(fromAddress, ATTEMPTS)) ?? (await count(fromAddressAtAccount, ATTEMPTS / 2))
  if (retryAfter !== undefined) return { retryAfter }
  // Guesses from elsewhere do not keep out whoever was right from here lately.
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
      for (const { takeBack } of counted) await takeBack()
    },
  }
}

/** Lets an address in for a day that guesses from elsewhere would keep out. */
export async function recordKnownAddress(
  ctx: WebContext,
  db: Db,
  attempted: Omit<Attempted, 'maxPerDay'>,
): Promise<void> {
  await countHit(db, rateLimitKeys(ctx, attempted).known, DAY_SECONDS)
}

/** Returns what attempts are counted by, and where an address that was right is recorded. */
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
