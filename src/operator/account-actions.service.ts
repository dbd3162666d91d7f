import { markForDeletion } from '../account-deletion/account-deletion.ts'
import type { Context } from '../context.ts'
import type { Db } from '../db/pool.ts'
import type { Tx } from '../db/transaction.ts'
import { AppError } from '../errors.ts'
import { getAccount, isOwner, setPlan, setSuspended } from '../identity/account.service.ts'
import type { Account, Plan } from '../identity/account.ts'
import { logAction } from '../operator-log/operator-log.service.ts'
import { scopeOf } from '../scope.ts'
import { normalizeOptionalText } from '../text.ts'
import { inAdminTransaction } from './actor.ts'

const MAX_REASON = 200

/**
 * Suspends or resumes an account. The reason is stored only in the admin log.
 *
 * @throws AppError `not_found`, `forbidden` for the actor's own account or if the actor is no
 * longer an admin, `last_admin`, `invalid_input` naming `reason`
 */
export async function suspendAccount(
  ctx: Context,
  db: Db,
  actor: string,
  id: number,
  { suspended, reason }: { suspended: boolean; reason?: string | undefined },
): Promise<Account> {
  const detail = normalizeOptionalText('reason', reason, MAX_REASON)
  return inAdminTransaction(db, actor, async (tx) => {
    const { username } = await getAccount(tx, id)
    if (suspended) await requireOtherAccount(tx, actor, id)
    const account = await setSuspended(ctx, tx, id, suspended)
    const action = suspended ? 'account.suspend' : 'account.resume'
    await logAction(ctx, tx, { actor, action, subject: username, detail })
    return account
  })
}

/**
 * Changes the plan of an account. @throws AppError `not_found`, `forbidden` if the actor is no
 * longer an admin
 */
export function changePlan(
  ctx: Context,
  db: Db,
  actor: string,
  id: number,
  { plan, expiresAt }: { plan: Plan; expiresAt: Date | null },
): Promise<Account> {
  return inAdminTransaction(db, actor, async (tx) => {
    const account = await setPlan(tx, id, plan, expiresAt)
    const detail = expiresAt ? `${plan} until ${expiresAt.toISOString()}` : plan
    const subject = account.username
    await logAction(ctx, tx, { actor, action: 'account.plan', subject, detail })
    return account
  })
}

/**
 * Marks an account for deletion. The importer deletes it.
 *
 * @throws AppError `not_found`, `forbidden` for the actor's own account or if the actor is no
 * longer an admin, `last_admin`
 */
export function deleteAccount(ctx: Context, db: Db, actor: string, id: number): Promise<void> {
  return inAdminTransaction(db, actor, async (tx) => {
    const { username } = await getAccount(tx, id)
    await requireOtherAccount(tx, actor, id)
    await markForDeletion(scopeOf({ ...ctx, db: tx }, id))
    await logAction(ctx, tx, { actor, action: 'account.delete', subject: username })
  })
}

/** Prevents admins from locking themselves out. */
async function requireOtherAccount(tx: Tx, actor: string, id: number): Promise<void> {
  if (await isOwner({ db: tx, accountId: id }, actor))
    throw new AppError('forbidden', { text: 'rejections.own_account' })
}
