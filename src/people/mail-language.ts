import type { Db } from '../db/pool.ts'
import { findOwner, findUserLanguage } from './user.queries.ts'
import { readLanguage, type UserLanguage } from './user-settings.ts'

/** Returns the language for mails to an address: its user's, or else that of the account's owner. */
export async function findMailLanguage(
  db: Db,
  { email, accountId }: { email: string; accountId: number },
): Promise<UserLanguage> {
  const known = await findUserLanguage(db, email)
  if (known !== undefined) return readLanguage(known)
  const owner = await findOwner(db, accountId)
  return readLanguage((owner && (await findUserLanguage(db, owner.email))) ?? '')
}
