import { createLru } from '../concurrency/memo.ts'
import { unscoped } from '../db/account-rows.ts'
import { countRows } from '../db/row-counts.queries.ts'
import type { AccountScope } from '../scope.ts'

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
  const pending = new Map<number, Promise<void>>()

  async function readRemainingQuota(scope: AccountScope): Promise<number> {
    return limit - (await countRows(unscoped(scope), kind, scope.accountId))
  }

  async function runInTurn<T>(accountId: number, work: () => Promise<T>): Promise<T> {
    const previous = pending.get(accountId)
    const { promise, resolve } = Promise.withResolvers<void>()
    pending.set(accountId, promise)
    try {
      await previous
      return await work()
    } finally {
      resolve()
      if (pending.get(accountId) === promise) pending.delete(accountId)
    }
  }

  return {
    /** Runs `work` with the number of rows it may create, at most `requested`. */
    async use<T>(
      scope: AccountScope,
      requested: number,
      work: (allowed: number) => Promise<T>,
    ): Promise<T> {
      if (limit === 0) return work(requested)
      let entry = counts.get(scope.accountId)
      if (!entry || entry.until <= monotonic() || entry.remaining - requested < NEAR_LIMIT) {
        entry = {
          remaining: await readRemainingQuota(scope),
          until: monotonic() + CACHE_MS,
        }
        counts.set(scope.accountId, entry)
      }
      entry.remaining -= requested
      if (entry.remaining >= NEAR_LIMIT) return work(requested)
      return runInTurn(scope.accountId, async () => {
        const remaining = await readRemainingQuota(scope)
        return work(Math.max(0, Math.min(requested, remaining)))
      })
    },
  }
}
