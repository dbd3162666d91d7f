import type { Db } from '../db/pool.ts'
import type { Tx } from '../db/transaction.ts'

/**
 * Locks the rows of all admins until the transaction ends, so that only one transaction changes
 * admins at a time.
 */
export async function lockAdmins(tx: Tx): Promise<void> {
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
export async function findActiveAdmins(db: Db): Promise<string[]> {
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
