import type { Tx } from '../db/transaction.ts'
import { AppError } from '../errors.ts'
import { hasOtherAccounts, lockAdmins } from './account.queries.ts'

/**
 * Ensures that another admin remains if an account is removed, until the transaction ends.
 *
 * @throws AppError `last_admin` for the only admin that can sign in, unless it is the only account
 */
export async function keepAnAdmin(tx: Tx, leaving: number): Promise<void> {
  const admins = await lockAdmins(tx)
  const isLast = admins.length === 1 && admins[0]?.id === leaving
  if (isLast && (await hasOtherAccounts(tx, leaving))) throw new AppError('last_admin')
}
