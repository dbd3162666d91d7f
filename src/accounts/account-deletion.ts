import { purgeRemoved } from '../clicks/import.ts'
import type { Clock } from '../clock.ts'
import { notify } from '../db/notify.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import { AppError } from '../errors.ts'
import {
  DELETION_STEPS,
  deleteEmptyAccount,
  listMarked,
  markForDeletion,
} from './account-deletion.queries.ts'
import { keepAnAdmin } from './last-admin.ts'

export type AccountDeletion = ReturnType<typeof createAccountDeletion>

const DEADLOCK = '40P01'
/** An import that meets the deletion of many links may have to be let through first. */
const ATTEMPTS = 5

/** Deletes accounts with everything that they own. */
export function createAccountDeletion({ db, clock }: { db: Db; clock: Clock }) {
  return {
    /**
     * Marks an account for good: from now on it is suspended, without keys and sessions, and visitors
     * are told that what it has is gone. Takes no longer for accounts that own much: what there is to
     * delete is deleted by `finish`, or within a minute or so by whoever imports clicks.
     *
     * @throws AppError `not_found`, `last_admin` for the only admin while there are other accounts
     */
    begin: (accountId: number): Promise<void> =>
      inTransaction(db, async (tx) => {
        await keepAnAdmin(tx, accountId)
        if (!(await markForDeletion(tx, accountId, clock()))) throw new AppError('not_found')
        await notify(tx, [{ kind: 'keys' }, { kind: 'account', id: accountId }])
      }),

    /** Deletes all of an account that was marked, clicks included. Safe to repeat if it was cut off. */
    async finish(accountId: number, signal?: AbortSignal): Promise<boolean> {
      const gone = await finishDeletion(db, accountId, signal)
      await purgeRemoved(db, signal)
      return gone
    },
  }
}

/** Deletes all of the accounts that are marked, and gives their number. */
export async function finishDeletions(db: Db, signal: AbortSignal): Promise<number> {
  let finished = 0
  for (const accountId of await listMarked(db)) {
    if (await finishDeletion(db, accountId, signal)) finished += 1
  }
  return finished
}

/** Says whether the account is gone: false if `signal` came first. Several may be at it at once. */
async function finishDeletion(db: Db, accountId: number, signal?: AbortSignal): Promise<boolean> {
  for (;;) {
    for (const step of DELETION_STEPS) {
      while ((await inBatch(db, accountId, step)) > 0) if (signal?.aborted) return false
    }
    // What was being made while its account was marked may have come after its step.
    if (await inBatch(db, accountId, deleteEmptyAccount)) return true
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
