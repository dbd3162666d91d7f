import { LRUCache } from 'lru-cache'
import { createBatcher } from '../concurrency/batch.ts'
import type { Db } from '../db/pool.ts'
import type { ErrorCode } from '../errors.ts'
import { type AccessRow, countRequest, findWindow, type WindowRow } from './access.queries.ts'
import { toAccount } from './account.queries.ts'
import type { Account } from './account.ts'
import { hashKey, isWellFormedKey } from './api-key.ts'
import { WINDOW_SECONDS } from './rate-window.queries.ts'

/** The rate window that a request fell into. */
export type RateWindow = {
  limit: number
  remaining: number
  /** When the window ends: Unix seconds, and whole seconds from now, at least 1. */
  reset: number
  retryAfter: number
}

export type AccessResult =
  | { account: Account; rejection?: undefined; window: RateWindow }
  | { account?: undefined; rejection: ErrorCode; window: RateWindow }

export type Access = ReturnType<typeof createAccess>

type Dependencies = {
  db: Db
  limit: number
  /** A keyed hash that stands for the caller's address, which is never stored itself. */
  hashAddress: (address: string) => string
  /** Milliseconds that only move forward. */
  monotonic?: () => number
}

type Refused = { until: number; reset: number }

const REMEMBERED = 10_000

export function createAccess({
  db,
  limit,
  hashAddress,
  monotonic = () => performance.now(),
}: Dependencies) {
  // Callers over their limit are answered from here, so that a flood costs the database nothing.
  const refused = new LRUCache<string, Refused>({ max: REMEMBERED })
  const batch = createBatcher<undefined, { row: AccessRow; askedAt: number }>()

  function window({ hits, ends_at, left }: WindowRow): RateWindow {
    return {
      limit,
      remaining: Math.max(0, limit - hits),
      reset: Math.ceil(ends_at),
      retryAfter: Math.max(1, Math.ceil(left)),
    }
  }

  function remembered(subject: string): RateWindow | undefined {
    const entry = refused.get(subject)
    if (!entry) return undefined
    const left = entry.until - monotonic()
    if (left <= 0) {
      refused.delete(subject)
      return undefined
    }
    return {
      limit,
      remaining: 0,
      reset: entry.reset,
      retryAfter: Math.max(1, Math.ceil(left / 1000)),
    }
  }

  function remember(subject: string, { left, ends_at }: WindowRow, askedAt: number): void {
    // Counted from before the question, the entry never outlives the database's window.
    refused.set(subject, { until: askedAt + left * 1000, reset: Math.ceil(ends_at) })
  }

  return {
    /** Drops who is over the limit, for when keys or accounts have changed. */
    invalidate: () => refused.clear(),

    /**
     * Counts one request of `key`, or of `address` when the key is missing or not valid, and says
     * whose it is or why it is refused.
     */
    async check({
      key,
      address,
    }: {
      key: string | undefined
      address: string
    }): Promise<AccessResult> {
      const hash = key && isWellFormedKey(key) ? hashKey(key) : undefined
      const stranger = `address:${hashAddress(address)}`
      const subject = hash ? hash.toString('base64') : stranger
      const known = remembered(subject)
      if (known) return { rejection: 'rate_limited', window: known }
      const { answer, position, count } = await batch(
        `${subject} ${stranger}`,
        undefined,
        async ({ length }) => {
          const askedAt = monotonic()
          const row = await countRequest(db, { hash, stranger, count: length })
          return { row, askedAt }
        },
      )
      const { askedAt } = answer
      const row = { ...answer.row, hits: answer.row.hits - count + position }
      if (row.hits > limit) {
        // An invalid key shares its address's window, and may be made valid within it: not remembered.
        if (row.id !== null || !hash) remember(subject, row, askedAt)
        return { rejection: 'rate_limited', window: window(row) }
      }
      if (row.id === null) return { rejection: 'key_required', window: window(row) }
      const account = toAccount({ ...row, id: row.id })
      if (account.suspended) return { rejection: 'account_suspended', window: window(row) }
      return { account, window: window(row) }
    },

    /** The window of a caller without a key, not counted. */
    async peek(address: string): Promise<RateWindow> {
      const row = await findWindow(db, `address:${hashAddress(address)}`)
      return row ? window(row) : this.unknown()
    },

    /** What the headers say when no window can be read. */
    unknown(): RateWindow {
      const reset = Math.ceil(Date.now() / 1000) + WINDOW_SECONDS
      return { limit, remaining: limit, reset, retryAfter: 1 }
    },
  }
}
