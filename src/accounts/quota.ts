import { createLru } from '../concurrency/lru.ts'
import type { Db } from '../db/pool.ts'
import { countRows } from '../db/row-counts.queries.ts'

type QuotaOptions = {
  /** The kind of rows counted per account. */
  kind: 'links' | 'qr_codes' | 'bio_pages'
  /** The maximum per account, or 0 for no limit. */
  limit: number
  monotonic?: () => number
}

/**
 * Below this remaining quota, rows are counted for every request, and an account's creations run
 * one at a time.
 */
const NEAR_LIMIT = 1000
/** Milliseconds for which a count is cached while more quota remains. */
const CACHE_MS = 10_000

/**
 * Limits the number of an account's rows of one kind. Only committed rows count, so concurrent
 * creations in other processes may exceed the limit by the number of rows they create. Far from the
 * limit, the database is rarely queried.
 */
export function createQuota({ kind, limit, monotonic = () => performance.now() }: QuotaOptions) {
  const counts = createLru<number, { remaining: number; until: number }>({ max: 10_000 })
  const turns = new Map<number, Promise<void>>()

  async function remainingQuota(db: Db, accountId: number): Promise<number> {
    return limit - (await countRows(db, kind, accountId))
  }

  async function inTurn<T>(accountId: number, work: () => Promise<T>): Promise<T> {
    const before = turns.get(accountId)
    const { promise, resolve } = Promise.withResolvers<void>()
    turns.set(accountId, promise)
    try {
      await before
      return await work()
    } finally {
      resolve()
      if (turns.get(accountId) === promise) turns.delete(accountId)
    }
  }

  return {
    /** Runs `work` with the number of rows it may create, at most `requested`. */
    async use<T>(
      db: Db,
      accountId: number,
      requested: number,
      work: (allowed: number) => Promise<T>,
    ): Promise<T> {
      if (limit === 0) return work(requested)
      let entry = counts.get(accountId)
      if (!entry || entry.until <= monotonic() || entry.remaining - requested < NEAR_LIMIT) {
        entry = { remaining: await remainingQuota(db, accountId), until: monotonic() + CACHE_MS }
        counts.set(accountId, entry)
      }
      entry.remaining -= requested
      if (entry.remaining >= NEAR_LIMIT) return work(requested)
      return inTurn(accountId, async () => {
        const remaining = await remainingQuota(db, accountId)
        return work(Math.max(0, Math.min(requested, remaining)))
      })
    },
  }
}
