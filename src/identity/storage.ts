import { sql } from 'kysely'
import { createLru } from '../concurrency/memo.ts'
import { own } from '../db/account-rows.ts'
import { AppError } from '../errors.ts'
import type { AccountScope } from '../scope.ts'

export type StorageLimits = Readonly<Record<'free' | 'pro', number>>

/** An account's stored bytes, and how many it may store. `limit` is undefined if there is none. */
export type StorageUsage = { bytes: number; limit: number | undefined }

/** Below this number of remaining bytes, the database is queried before every write. */
const NEAR_LIMIT = 32 * 1_048_576
/** Milliseconds for which an account with more remaining bytes is not checked again. */
const CACHE_MS = 10_000

/** Returns what an account stores, and its limit. */
export async function getStorageUsage(
  scope: AccountScope,
  limits: StorageLimits,
): Promise<StorageUsage> {
  const { plan, bytes } = await readStorage(scope)
  return { bytes, limit: limits[plan] || undefined }
}

/**
 * Limits the bytes that an account stores, by plan. Concurrent writes may exceed the limit
 * slightly. Redirects and clicks never depend on it.
 */
export function createStorage(limits: StorageLimits, monotonic = () => performance.now()) {
  const checkedUntil = createLru<number, number>({ max: 10_000 })

  async function isFull(scope: AccountScope): Promise<boolean> {
    if (limits.free === 0 && limits.pro === 0) return false
    if ((checkedUntil.get(scope.accountId) ?? 0) > monotonic()) return false
    const { bytes, limit } = await getStorageUsage(scope, limits)
    if (limit === undefined || limit - bytes > NEAR_LIMIT) {
      checkedUntil.set(scope.accountId, monotonic() + CACHE_MS)
    }
    return limit !== undefined && bytes >= limit
  }

  return {
    isFull,
    /**
     * Checks that the account may store more. A change of many links, which may store more than
     * remains below `NEAR_LIMIT`, must not rely on an earlier check.
     *
     * @throws AppError `storage_full`
     */
    async require(scope: AccountScope, { isBulk = false } = {}): Promise<void> {
      if (isBulk) checkedUntil.set(scope.accountId, 0)
      if (await isFull(scope)) throw new AppError('storage_full')
    },
  }
}

/** Returns the plan of an account and the bytes that it stores. Triggers maintain these. */
async function readStorage(scope: AccountScope): Promise<{ plan: 'free' | 'pro'; bytes: number }> {
  const row = await own(scope)
    .selectFrom('accounts')
    .select([
      sql<'free' | 'pro'>`case when expires_at <= now() then 'free' else plan end`.as('plan'),
      sql<string | null>`(
        select sum(rows) from row_counts where kind = 'bytes' and owner_id = accounts.id)`.as(
        'bytes',
      ),
    ])
    .executeTakeFirst()
  return { plan: row?.plan ?? 'free', bytes: Number(row?.bytes ?? 0) }
}
