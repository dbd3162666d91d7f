import type { Context } from '../context.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction } from '../db/transaction.ts'
import { AppError, checkAll, invalid } from '../errors.ts'
import type { AccountScope } from '../scope.ts'
import { checkEmail, checkPassword } from './account.ts'
import { deleteResets } from './password-reset.queries.ts'
import { requirePasswordSignIn } from './password-sign-in.ts'
import {
  copyOwnerEmails,
  findOwner,
  findUser,
  findUserByEmail,
  updateUserRow,
} from './user.queries.ts'
import type { User } from './user.ts'
import { checkLanguage, checkTimeZone } from './user.ts'

/**
 * Returns the owner of an account, as in `findOwner`.
 *
 * @throws AppError `not_found`
 */
export async function getOwner(scope: AccountScope): Promise<User> {
  const owner = await findOwner(scope)
  if (!owner) throw new AppError('not_found')
  return owner
}

/** Returns the user with this email address. @throws AppError `not_found` naming the address */
export async function getUserByEmail(db: Db, email: string): Promise<User> {
  const user = await findUserByEmail(db, email)
  if (!user) throw new AppError('not_found', { text: 'rejections.user_by_email', args: { email } })
  return user
}

/**
 * Changes the language and time zone of a user.
 *
 * @throws AppError `invalid_input` naming `language` or `timeZone`, `not_found`
 */
export async function updateUserSettings(
  db: Db,
  id: number,
  input: { language: string; timeZone: string },
): Promise<void> {
  const [language, time_zone] = checkAll(
    () => checkLanguage(input.language),
    () => checkTimeZone(input.timeZone),
  )
  if (!(await updateUserRow(db, id, { language, time_zone }))) throw new AppError('not_found')
}

/**
 * Changes a user's email address, password, or both. A new password ends all sessions except
 * `currentSessionId`.
 *
 * @throws AppError `invalid_input`, `email_taken`, `not_found`, `busy`, `password_sign_in_off` for
 * a new password
 */
export async function updateUser(
  ctx: Context,
  db: Db,
  id: number,
  input: { email?: string; password?: string },
  currentSessionId?: number,
): Promise<User> {
  if (input.email === undefined && input.password === undefined) {
    throw invalid('email', 'or_password_required')
  }
  if (input.password !== undefined) requirePasswordSignIn(ctx)
  const email = input.email === undefined ? undefined : checkEmail(input.email)
  const password = input.password === undefined ? undefined : checkPassword(input.password)
  const password_hash =
    password === undefined ? undefined : await ctx.passwords.accounts.hash(id, password)
  return inTransaction(db, async (tx) => {
    const current = await findUser(tx, id)
    const isNew = email !== undefined && email.toLowerCase() !== current?.email.toLowerCase()
    const changes = {
      ...(email && { email }),
      ...(isNew && { email_verified: false }),
      ...(password_hash && { password_hash }),
    }
    const user = await updateUserRow(tx, id, changes)
    if (!user) throw new AppError('not_found')
    if (email) await copyOwnerEmails(tx, id)
    if (password_hash) await endSessions(tx, id, currentSessionId)
    // An attacker who is locked out by this change may have a reset link.
    await deleteResets(tx, id)
    return user
  })
}

/**
 * Ends all sessions of a user except `exceptId`, and the sign-ins that are waiting for a second
 * factor.
 */
export async function endSessions(db: Db, userId: number, exceptId?: number): Promise<void> {
  await db.deleteFrom('pending_sign_ins').where('user_id', '=', userId).execute()
  await db
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .$if(exceptId !== undefined, (query) => query.where('id', '!=', Number(exceptId)))
    .execute()
}
