import { purgeRemovedClicks } from '../clicks/import.ts'
import type { Context } from '../context.ts'
import { notify } from '../db/notify.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import { AppError } from '../errors.ts'
import { requireRemainingAdmin } from '../people/admin.service.ts'
import * as queries from './account-deletion.queries.ts'

const DEADLOCK = '40P01'
/** Attempts to run a batch. An import of clicks can cause deadlocks. */
const MAX_ATTEMPTS = 5

/**
 * Marks an account for permanent deletion. The account is suspended, its keys and sessions are
 * revoked, and its links return 410. Marking is equally fast for accounts of any size:
 * `finishDeletion` deletes the data, or the importer does within about a minute.
 *
 * @throws AppError `not_found`, `last_admin` for the only admin while other accounts exist
 */
export async function markForDeletion(ctx: Context, tx: Tx, accountId: number): Promise<void> {
  await requireRemainingAdmin(tx, { closingAccountId: accountId }, async () => {
    const isMarked = await queries.markForDeletion(tx, accountId, ctx.clock())
    if (!isMarked) throw new AppError('not_found')
  })
  await notify(tx, [{ kind: 'keys' }, { kind: 'account', id: accountId }])
}

/**
 * Marks the caller's own account for permanent deletion.
 *
 * @throws AppError like `markForDeletion`
 */
export function deleteOwnAccount(ctx: Context, db: Db, accountId: number): Promise<void> {
  return inTransaction(db, (tx) => markForDeletion(ctx, tx, accountId))
}

/**
 * Deletes all data of a marked account, including clicks. Returns whether the account was deleted
 * before `signal` aborted. Safe to run again after an interruption.
 */
export async function finishDeletion(
  db: Db,
  accountId: number,
  signal?: AbortSignal,
): Promise<boolean> {
  const isDeleted = await deleteOwned(db, accountId, signal)
  await purgeRemovedClicks(db, signal)
  return isDeleted
}

/** Deletes marked accounts until `signal` aborts. Returns the number of accounts deleted. */
export async function finishDeletions(db: Db, signal: AbortSignal): Promise<number> {
  let finished = 0
  for (const accountId of await queries.listMarkedAccounts(db)) {
    if (await deleteOwned(db, accountId, signal)) finished += 1
  }
  return finished
}

/**
 * Deletes an account and its data. Returns true once the account is deleted, or false if `signal`
 * aborts first. Safe to run concurrently.
 */
async function deleteOwned(db: Db, accountId: number, signal?: AbortSignal): Promise<boolean> {
  for (;;) {
    for (const step of queries.DELETION_STEPS) {
      while ((await runBatch(db, accountId, step)) > 0) if (signal?.aborted) return false
    }
    // Rows created while the account was being marked may have been missed by their step.
    if (await runBatch(db, accountId, queries.deleteEmptyAccount)) return true
  }
}

/**
 * Runs one batch of a step, and repeats it after a deadlock. Notifies all processes if something
 * was deleted, so that none caches a link whose alias is available again.
 */
async function runBatch<T>(
  db: Db,
  accountId: number,
  step: (tx: Tx, accountId: number) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await inTransaction(db, async (tx) => {
        const result = await step(tx, accountId)
        if (result) await notify(tx, [{ kind: 'account', id: accountId }])
        return result
      })
    } catch (error) {
      const isDeadlock = (error as { code?: string }).code === DEADLOCK
      if (!isDeadlock || attempt === MAX_ATTEMPTS) throw error
    }
  }
}
