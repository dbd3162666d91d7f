import { setTimeout } from 'node:timers/promises'
import { purgeRemovedClicks } from '../clicks/import.ts'
import type { Context } from '../context.ts'
import { unscoped } from '../db/account-rows.ts'
import { notify } from '../db/notify.ts'
import type { Db } from '../db/pool.ts'
import { countRows } from '../db/row-counts.queries.ts'
import { type Tx, transact } from '../db/transaction.ts'
import { AppError } from '../errors.ts'
import { requireRemainingAdmin } from '../identity/admin.service.ts'
import type { AccountScope, Scope } from '../scope.ts'
import * as queries from './account-deletion.queries.ts'

const DEADLOCK = '40P01'
/** Attempts to run a batch. An import of clicks can cause deadlocks. */
const MAX_ATTEMPTS = 5
/** The numbers of rows in a batch: at first, and the limits. */
const FIRST_BATCH = 500
const MIN_BATCH = 50
const MAX_BATCH = 2000
/** Batches that take longer become smaller. */
const MAX_BATCH_MS = 80
const PROGRESS_MS = 250
const RETRY_MS = 100

/**
 * Marks an account for permanent deletion. The account is suspended, its keys and sessions are
 * revoked, and its links return 410. Marking is equally fast for accounts of any size:
 * `finishDeletion` deletes the data, or the importer does within about a minute.
 *
 * @throws AppError `not_found`, `last_admin` for the only admin while other accounts exist
 */
export async function markForDeletion(scope: Scope<Context, Tx>): Promise<void> {
  await requireRemainingAdmin(unscoped(scope), { closingAccountId: scope.accountId }, async () => {
    const isMarked = await queries.markForDeletion(scope, scope.clock())
    if (!isMarked) throw new AppError('not_found')
  })
  await notify(unscoped(scope), [{ kind: 'keys' }, { kind: 'account', id: scope.accountId }])
}

/**
 * Marks the caller's own account for permanent deletion.
 *
 * @throws AppError like `markForDeletion`
 */
export function deleteOwnAccount(scope: Scope<Context>): Promise<void> {
  return transact(scope, (tx) => markForDeletion(tx))
}

type DeletionOptions = {
  signal?: AbortSignal | undefined
  /** Is told the number of links that are left, several times a second. */
  onProgress?: ((links: number) => void) | undefined
}

/**
 * Deletes all data of a marked account, including clicks. Returns whether the account was deleted
 * before `signal` aborted. Safe to run again after an interruption. While another process deletes
 * the account, waits for it.
 */
export async function finishDeletion(
  scope: AccountScope,
  { signal, onProgress }: DeletionOptions = {},
): Promise<boolean> {
  let isDeleted: boolean | 'elsewhere'
  for (;;) {
    isDeleted = await deleteOwned(scope, { signal, onProgress })
    if (isDeleted !== 'elsewhere') break
    onProgress?.(await countRows(unscoped(scope), 'links', scope.accountId))
    await setTimeout(RETRY_MS)
  }
  // The importer begins with the links that were deleted first.
  await purgeRemovedClicks(unscoped(scope), { signal, order: 'desc' })
  return isDeleted
}

/** Deletes marked accounts until `signal` aborts. Returns the number of accounts deleted. */
export async function finishDeletions(db: Db, signal: AbortSignal): Promise<number> {
  let finished = 0
  for (const accountId of await queries.listMarkedAccounts(db)) {
    if ((await deleteOwned({ db, accountId }, { signal })) === true) finished += 1
  }
  return finished
}

/**
 * Deletes an account and its data. Returns true once the account is deleted, false if `signal`
 * aborts first, or `elsewhere` if another process is deleting it.
 */
async function deleteOwned(
  scope: AccountScope,
  { signal, onProgress }: DeletionOptions,
): Promise<boolean | 'elsewhere'> {
  const batch = { limit: FIRST_BATCH, after: 0 }
  let reportedAt = Number.NEGATIVE_INFINITY
  for (;;) {
    batch.after = 0
    for (const step of queries.DELETION_STEPS) {
      for (;;) {
        const startedAt = performance.now()
        const deleted = await runBatch(scope, (tx) => step(tx, batch))
        if (deleted === undefined) return 'elsewhere'
        if (deleted === 0) break
        if (signal?.aborted) return false
        const now = performance.now()
        batch.limit = adjust(batch.limit, now - startedAt)
        if (onProgress && now - reportedAt > PROGRESS_MS) {
          onProgress(await countRows(unscoped(scope), 'links', scope.accountId))
          reportedAt = now
        }
      }
    }
    // Rows created while the account was being marked may have been missed by their step.
    const isDeleted = await runBatch(scope, queries.deleteEmptyAccount)
    if (isDeleted === undefined) return 'elsewhere'
    if (isDeleted) return true
  }
}

/** Returns the size of the next batch, so that nobody waits long for its locks. */
function adjust(limit: number, ms: number): number {
  if (ms > MAX_BATCH_MS) return Math.max(MIN_BATCH, Math.floor(limit / 2))
  return ms < MAX_BATCH_MS / 3 ? Math.min(MAX_BATCH, limit * 2) : limit
}

/**
 * Runs one batch of a step, and repeats it after a deadlock. Notifies all processes if something
 * was deleted, so that none caches a link whose alias is available again. Returns undefined if
 * another process is deleting the account.
 */
async function runBatch<T>(
  scope: AccountScope,
  step: (tx: AccountScope<Tx>) => Promise<T>,
): Promise<T | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await transact(scope, async (tx) => {
        if (!(await queries.claimDeletion(tx))) return undefined
        const result = await step(tx)
        if (result) await notify(unscoped(tx), [{ kind: 'account', id: scope.accountId }])
        return result
      })
    } catch (error) {
      const isDeadlock = (error as { code?: string }).code === DEADLOCK
      if (!isDeadlock || attempt === MAX_ATTEMPTS) throw error
    }
  }
}
