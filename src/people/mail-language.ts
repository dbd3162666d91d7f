import type { Db } from '../db/pool.ts'
import { translate, type UserLanguage } from '../texts.ts'
import { findOwner, findUserLanguage } from './user.queries.ts'
import { readLanguage } from './user-settings.ts'

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

/** Returns the subject and the text of an email about signing in. */
export function writeMail(
  language: UserLanguage,
  name: 'reset' | 'invitation' | 'welcome',
  values: Readonly<Record<string, string>>,
): { subject: string; text: string } {
  return {
    subject: translate(language, `mail.${name}.subject`, values),
    text: translate(language, `mail.${name}.text`, values),
  }
}
