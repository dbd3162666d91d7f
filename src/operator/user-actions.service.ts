import type { Context } from '../context.ts'
import type { Db } from '../db/pool.ts'
import type { Tx } from '../db/transaction.ts'
import { AppError } from '../errors.ts'
import { createAccountWithoutKeys } from '../identity/account.service.ts'
import { type Account, checkEmail, type Plan } from '../identity/account.ts'
import { setAdmin } from '../identity/admin.service.ts'
import { insertMember, lockMembers } from '../identity/member.queries.ts'
import { deleteIdentities } from '../identity/oidc/identity.queries.ts'
import { createUserPasswordReset } from '../identity/password-reset.service.ts'
import { clearSecondFactor } from '../identity/second-factor/second-factor.service.ts'
import {
  findUser,
  findUserByEmail,
  findUserLanguage,
  insertUser,
  updateUserRow,
} from '../identity/user.queries.ts'
import { endSessions } from '../identity/user.service.ts'
import type { Role, User } from '../identity/user.ts'
import { readLanguage } from '../identity/user.ts'
import { type Welcome, welcomeUser } from '../identity/welcome.service.ts'
import type { Action } from '../operator-log/action.ts'
import { logAction } from '../operator-log/operator-log.service.ts'
import { inAdminTransaction } from './actor.ts'

/** A user who was added to an account. `welcome` is set if the user is new. */
export type AddedUser = { user: User; welcome: Welcome | undefined }

/**
 * Creates an account for the user with this email address. Creates the user if necessary. Only the
 * user chooses the password.
 *
 * @throws AppError `invalid_input` naming `email` or `username`, `username_taken`, `forbidden` if
 * the actor is no longer an admin, `busy`
 */
export async function createAccountFor(
  ctx: Context,
  db: Db,
  actor: string,
  { email, username, plan }: { email: string; username: string; plan: Plan },
): Promise<AddedUser & { account: Account }> {
  const checkedEmail = checkEmail(email)
  return inAdminTransaction(db, actor, async (tx) => {
    const { user, isNew } = await findOrCreateUser(ctx, tx, actor, checkedEmail)
    const account = await createAccountWithoutKeys(tx, user, { username, plan })
    const line = { actor, action: 'account.create', subject: account.username } as const
    await logAction(ctx, tx, { ...line, detail: `owner ${user.email}` })
    return { account, user, welcome: isNew ? await welcomeUser(ctx, tx, user) : undefined }
  })
}

/**
 * Adds the user with this email address to an account. Creates the user if necessary.
 *
 * @throws AppError `invalid_input` naming `email`, `not_found`, `account_suspended`,
 * `already_member`, `forbidden` if the actor is no longer an admin, `busy`
 */
export async function addMember(
  ctx: Context,
  db: Db,
  actor: string,
  { id, username }: Account,
  { email, role }: { email: string; role: Role },
): Promise<AddedUser> {
  const checkedEmail = checkEmail(email)
  return inAdminTransaction(db, actor, async (tx) => {
    if (!(await lockMembers({ db: tx, accountId: id }))) throw new AppError('account_suspended')
    const { user, isNew } = await findOrCreateUser(ctx, tx, actor, checkedEmail)
    const isAdded = await insertMember(tx, { accountId: id, userId: user.id, role })
    if (!isAdded) throw new AppError('already_member', { field: 'email' })
    const line = { actor, action: 'user.add', subject: username } as const
    await logAction(ctx, tx, { ...line, detail: `${user.email} as ${role}` })
    return { user, welcome: isNew ? await welcomeUser(ctx, tx, user) : undefined }
  })
}

/**
 * Creates a link with which a user can set a password. Replaces any earlier link.
 *
 * @throws AppError `not_found`, `account_suspended`, `forbidden` if the actor is no longer an admin
 */
export async function createResetLink(
  ctx: Context,
  db: Db,
  actor: string,
  userId: number,
): Promise<{ email: string; url: string; expiresAt: Date }> {
  return changeUser(ctx, db, actor, { userId, action: 'user.reset-password' }, async (tx, user) => {
    return { email: user.email, ...(await createUserPasswordReset(ctx, tx, userId)) }
  })
}

/**
 * Grants or revokes a user's admin role. @throws AppError `not_found`, `last_admin`, `forbidden` if
 * the actor is no longer an admin
 */
export async function changeAdmin(
  ctx: Context,
  db: Db,
  actor: string,
  userId: number,
  admin: boolean,
): Promise<User> {
  return inAdminTransaction(db, actor, async (tx) => {
    const user = await setAdmin(tx, userId, admin)
    const detail = admin ? 'on' : 'off'
    await logAction(ctx, tx, { actor, action: 'user.admin', subject: user.email, detail })
    return user
  })
}

/**
 * Removes a user's second factor and ends all of their sessions. From then on, the password is
 * enough to sign in.
 *
 * @throws AppError `not_found`, also for a user without a second factor, `forbidden` if the actor
 * is no longer an admin
 */
export async function removeSecondFactor(
  ctx: Context,
  db: Db,
  actor: string,
  userId: number,
): Promise<User> {
  const change = { userId, action: 'user.remove-second-factor' } as const
  return changeUser(ctx, db, actor, change, async (tx, user) => {
    if (await clearSecondFactor(tx, userId)) return user
    const args = { email: user.email }
    throw new AppError('not_found', { text: 'rejections.second_factor_missing', args })
  })
}

/**
 * Confirms that a user owns their email address, so that the identity provider's users can be
 * matched by it.
 *
 * @throws AppError `not_found`, `forbidden` if the actor is no longer an admin
 */
export async function confirmEmail(
  ctx: Context,
  db: Db,
  actor: string,
  userId: number,
): Promise<void> {
  await changeUser(ctx, db, actor, { userId, action: 'user.confirm' }, (tx) =>
    updateUserRow(tx, userId, { email_verified: true }),
  )
}

/**
 * Disconnects a user from the identity provider and ends their sessions, for example because the
 * wrong person was connected.
 *
 * @throws AppError `not_found`, `forbidden` if the actor is no longer an admin
 */
export async function disconnectProvider(
  ctx: Context,
  db: Db,
  actor: string,
  userId: number,
): Promise<void> {
  await changeUser(ctx, db, actor, { userId, action: 'user.disconnect' }, async (tx) => {
    await deleteIdentities(tx, userId)
    await endSessions(tx, userId)
  })
}

/** Changes a user and logs the action. @throws AppError `not_found`, `forbidden` */
function changeUser<Result>(
  ctx: Context,
  db: Db,
  actor: string,
  { userId, action }: { userId: number; action: Action },
  work: (tx: Tx, user: User) => Promise<Result>,
): Promise<Result> {
  return inAdminTransaction(db, actor, async (tx) => {
    const user = await findUser(tx, userId)
    if (!user) throw new AppError('not_found')
    const result = await work(tx, user)
    await logAction(ctx, tx, { actor, action, subject: user.email })
    return result
  })
}

async function findOrCreateUser(
  ctx: Context,
  tx: Tx,
  actor: string,
  email: string,
): Promise<{ user: User; isNew: boolean }> {
  const existing = await findUserByEmail(tx, email)
  if (existing) return { user: existing, isNew: false }
  // A new user starts with the language of the admin, in which the link is mailed.
  const language = readLanguage((await findUserLanguage(tx, actor)) ?? '')
  const values = { email, password_hash: null, email_verified: true, language }
  const user = await insertUser(tx, values)
  await logAction(ctx, tx, { actor, action: 'user.create', subject: user.email })
  return { user, isNew: true }
}
