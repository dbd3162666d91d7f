import type { Db } from '../db/pool.ts'
import type { Tx } from '../db/transaction.ts'
import { AppError } from '../errors.ts'
import { hasOtherAccounts } from './account.queries.ts'
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

/**
 * Locks the rows of all admins until the transaction ends, so that only one transaction changes
 * admins at a time.
 */
async function lockAdmins(tx: Tx): Promise<void> {
  await tx
    .selectFrom('users')
    .select('id')
    .where('admin', '=', true)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
}

/**
 * Returns the email addresses of the admins who can sign in. They are members of an account that is
 * not suspended.
 */
async function findActiveAdmins(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('users')
    .innerJoin('members', 'members.user_id', 'users.id')
    .innerJoin('accounts', 'accounts.id', 'members.account_id')
    .select('users.email')
    .distinct()
    .where('users.admin', '=', true)
    .where('accounts.suspended_at', 'is', null)
    .execute()
  return rows.map(({ email }) => email)
}

/** Sets whether a user is an admin. Returns whether this changed anything. */
export async function updateAdminRow(tx: Tx, id: number, admin: boolean): Promise<boolean> {
  const row = await tx
    .updateTable('users')
    .set({ admin })
    .where('id', '=', id)
    .where('admin', '<>', admin)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}
