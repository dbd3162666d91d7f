import { hasOtherAccounts } from '../accounts/account.queries.ts'
import type { Tx } from '../db/transaction.ts'
import { AppError } from '../errors.ts'
import { findActiveAdmins, lockAdmins } from './admin.queries.ts'
import { updateUserRow } from './user.queries.ts'
import type { User } from './user.ts'

/**
 * Requires that the user with this email address is an admin who can sign in. Locks the admins
 * until the transaction ends, so that two admins cannot remove each other.
 *
 * @throws AppError `forbidden`
 */
export async function requireAdmin(tx: Tx, email: string): Promise<void> {
  await lockAdmins(tx)
  const admins = await findActiveAdmins(tx)
  if (!admins.includes(email)) throw new AppError('forbidden')
}

/**
 * Runs a change that may remove an admin's access. Requires that an admin can still sign in
 * afterward, unless none could before. `closingAccountId` is an account that the change closes: the
 * last account may be closed together with its admin.
 *
 * @throws AppError `last_admin`, which rolls back the transaction
 */
export async function requireRemainingAdmin<T>(
  tx: Tx,
  { closingAccountId = 0 }: { closingAccountId?: number },
  change: () => Promise<T>,
): Promise<T> {
  await lockAdmins(tx)
  const before = await findActiveAdmins(tx)
  const result = await change()
  if (before.length === 0 || (await findActiveAdmins(tx)).length > 0) return result
  if (await hasOtherAccounts(tx, closingAccountId)) throw new AppError('last_admin')
  return result
}

/**
 * Grants or revokes a user's admin role.
 *
 * @throws AppError `not_found`, `last_admin`
 */
export async function setAdmin(tx: Tx, id: number, admin: boolean): Promise<User> {
  return requireRemainingAdmin(tx, {}, async () => {
    const user = await updateUserRow(tx, id, { admin })
    if (!user) throw new AppError('not_found')
    return user
  })
}
