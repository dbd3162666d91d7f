import { createLru } from '../concurrency/lru.ts'
import type { Db } from '../db/pool.ts'
import { countRows } from '../db/row-counts.queries.ts'

type QuotaOptions = {
  /** The kind of rows counted per account. */
  kind: 'links' | 'qr_codes'
  /** The maximum per account, 0 for no limit. */
  limit: number
  monotonic?: () => number
}

/**
 * Below this remaining quota, rows are counted each time, and an account's creations run one at a
 * time.
 */
const NEAR_LIMIT = 1000
/** Milliseconds that a count is cached while more quota remains. */
const CACHE_MS = 10_000

/**
 * Creates a quota for a kind of rows. It is based on committed rows, so concurrent creations in
 * other processes may exceed it by at most what these requests create. Far from the limit, it
 * rarely queries the database.
 */
export function createQuota({ kind, limit, monotonic = () => performance.now() }: QuotaOptions) {
  const known = createLru<number, { room: number; until: number }>({ max: 10_000 })
  const turns = new Map<number, Promise<void>>()

  async function remainingQuota(db: Db, accountId: number): Promise<number> {
    return limit - (await countRows(db, kind, accountId))
  }

  async function inOrder<T>(accountId: number, work: () => Promise<T>): Promise<T> {
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
    /** Runs `work` with the number of rows it may create, up to `wanted`. */
    async use<T>(
      db: Db,
      accountId: number,
      wanted: number,
      work: (allowed: number) => Promise<T>,
    ): Promise<T> {
      if (limit === 0) return work(wanted)
      let entry = known.get(accountId)
      if (!entry || entry.until <= monotonic() || entry.room - wanted < NEAR_LIMIT) {
        entry = { room: await remainingQuota(db, accountId), until: monotonic() + CACHE_MS }
        known.set(accountId, entry)
      }
      entry.room -= wanted
      if (entry.room >= NEAR_LIMIT) return work(wanted)
      return inOrder(accountId, async () => {
        const remaining = await remainingQuota(db, accountId)
        return work(Math.max(0, Math.min(wanted, remaining)))
      })
    },
  }
}
