import type { Db } from '../db/pool.ts'
import { findOwner, findUserLanguage } from './user.queries.ts'
import { readLanguage, type UserLanguage } from './user-settings.ts'

/**
 * Returns the language for emails to an email address: that of its user or, if there is no such
 * user, of the account's owner.
 */
export async function findMailLanguage(
  db: Db,
  { email, accountId }: { email: string; accountId: number },
): Promise<UserLanguage> {
  const stored = await findUserLanguage(db, email)
  if (stored !== undefined) return readLanguage(stored)
  const owner = await findOwner(db, accountId)
  return readLanguage((owner && (await findUserLanguage(db, owner.email))) ?? '')
}
