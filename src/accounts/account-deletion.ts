import { purgeRemoved } from '../clicks/import.ts'
import type { Context } from '../context.ts'
import { notify } from '../db/notify.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import { AppError } from '../errors.ts'
import * as queries from './account-deletion.queries.ts'
import { keepAnAdmin } from './last-admin.ts'

const DEADLOCK = '40P01'
/** An import that meets the deletion of many links may have to be let through first. */
const ATTEMPTS = 5

/**
 * Marks an account for deletion, which cannot be undone: from now on it is suspended, has no keys and
 * sessions, and visitors are told that what it has is gone. Takes no longer for accounts that own much:
 * `finishDeletion` deletes what there is, or the importer does within a minute or so.
 *
 * @throws AppError `not_found`, `last_admin` for the only admin while there are other accounts
 */
export async function markForDeletion(ctx: Context, tx: Tx, accountId: number): Promise<void> {
  await keepAnAdmin(tx, accountId)
  if (!(await queries.markForDeletion(tx, accountId, ctx.clock()))) throw new AppError('not_found')
  await notify(tx, [{ kind: 'keys' }, { kind: 'account', id: accountId }])
}

/** Marks the account of whoever asks. @throws AppError as `markForDeletion` does */
export function deleteOwnAccount(ctx: Context, db: Db, accountId: number): Promise<void> {
  return inTransaction(db, (tx) => markForDeletion(ctx, tx, accountId))
}

/** Deletes all of an account that was marked, clicks included. Safe to repeat if it was cut off. */
export async function finishDeletion(
  db: Db,
  accountId: number,
  signal?: AbortSignal,
): Promise<boolean> {
  const gone = await deleteOwned(db, accountId, signal)
  await purgeRemoved(db, signal)
  return gone
}

/** Deletes all accounts that are marked, and returns their number. */
export async function finishDeletions(db: Db, signal: AbortSignal): Promise<number> {
  let finished = 0
  for (const accountId of await queries.listMarked(db)) {
    if (await deleteOwned(db, accountId, signal)) finished += 1
  }
  return finished
}

/** Returns whether the account is gone: false if `signal` came first. Safe to run concurrently. */
async function deleteOwned(db: Db, accountId: number, signal?: AbortSignal): Promise<boolean> {
  for (;;) {
    for (const step of queries.DELETION_STEPS) {
      while ((await inBatch(db, accountId, step)) > 0) if (signal?.aborted) return false
    }
    // What was being made while its account was marked may have come after its step.
    if (await inBatch(db, accountId, queries.deleteEmptyAccount)) return true
  }
}

/** Tells every process along with each batch, so that nobody keeps a link whose alias is free again. */
async function inBatch<T>(
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
      if (!isDeadlock || attempt === ATTEMPTS) throw error
    }
  }
}
