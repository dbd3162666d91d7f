import type { Context } from '../context.ts'
import { notify } from '../db/notify.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import { AppError, checkAll, invalid } from '../errors.ts'
import type { AccountScope } from '../scope.ts'
import { findTimeZone } from '../time-zone.ts'
import * as queries from './account.queries.ts'
import { toAccount } from './account.queries.ts'
import {
  type Account,
  checkEmail,
  checkPassword,
  checkUsername,
  type NewAccount,
  type Plan,
} from './account.ts'
import { requireRemainingAdmin } from './admin.service.ts'
import { generateKey } from './api-key.ts'
import { insertKey } from './key.queries.ts'
import { insertMember } from './member.queries.ts'
import { listMembers } from './member.service.ts'
import { insertUser, updateUserRow } from './user.queries.ts'
import { getOwner, updateUser } from './user.service.ts'
import type { User } from './user.ts'
import { readLanguage } from './user.ts'

/** Returns an account. @throws AppError `not_found` */
export async function getAccount(db: Db, id: number): Promise<Account> {
  return requireFound(await queries.findAccount(db, id))
}

/**
 * Returns the account with this username, or the account owned by the user with this email address.
 *
 * @throws AppError `not_found` naming the username or email address, `invalid_input` if the user
 * owns several accounts
 */
export async function getAccountByEmailOrUsername(db: Db, email: string): Promise<Account> {
  if (!email.includes('@')) return getAccountByUsername(db, email)
  const [account, another] = await queries.findAccountsByEmail(db, email)
  if (another) {
    throw invalid('account', 'username_needed', { email })
  }
  return requireFound(account, { text: 'rejections.account_by_email', args: { email } })
}

/** Returns the account with this username. @throws AppError `not_found` naming the username */
async function getAccountByUsername(db: Db, username: string): Promise<Account> {
  const account = await queries.findAccountByUsername(db, username)
  return requireFound(account, { text: 'rejections.account_by_name', args: { username } })
}

export async function listAccounts(db: Db): Promise<Account[]> {
  const rows = await db.selectFrom('accounts').selectAll().orderBy('id').execute()
  return rows.map(toAccount)
}

export async function countAccounts(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('accounts')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/**
 * Creates an account with its owner and its first key. The key's text is returned only here and not
 * stored. The owner of the first account becomes an admin.
 *
 * @throws AppError `invalid_input` naming the field, `email_taken`, `username_taken`, `busy`
 */
export async function createAccount(
  ctx: Pick<Context, 'passwords'>,
  db: Db,
  input: NewAccount,
  hash = (password: string) => ctx.passwords.accounts.hash('', password),
): Promise<{ account: Account; key: string }> {
  const [email, username, password] = checkAll(
    () => checkEmail(input.email),
    () => checkUsername(input.username),
    () => checkPassword(input.password),
  )
  const password_hash = await hash(password)
  return inTransaction(db, async (tx) => {
    const time_zone = findTimeZone(input.timeZone ?? '') ?? 'UTC'
    const email_verified = input.emailVerified ?? false
    const settings = { language: readLanguage(input.language ?? ''), time_zone }
    const owner = await insertUser(tx, { email, password_hash, ...settings, email_verified })
    return createAccountFor(tx, owner, { username, plan: input.plan ?? 'free' })
  })
}

/**
 * Creates an account for an existing user, with its first key.
 *
 * @throws AppError `invalid_input` naming `username`, `username_taken`
 */
export async function createAccountFor(
  tx: Tx,
  owner: User,
  input: { username: string; plan: Plan },
): Promise<{ account: Account; key: string }> {
  const account = await createAccountWithoutKeys(tx, owner, input)
  const key = generateKey()
  await insertKey(tx, { accountId: account.id, key, scope: 'full', name: 'First key' })
  return { account, key }
}

/**
 * Creates an account without keys for an existing user. The owner of the first account becomes an
 * admin.
 *
 * @throws AppError `invalid_input` naming `username`, `username_taken`
 */
export async function createAccountWithoutKeys(
  tx: Tx,
  owner: User,
  { username, plan }: { username: string; plan: Plan },
): Promise<Account> {
  const isFirst = await queries.isFirstAccount(tx)
  const values = { email: owner.email, username: checkUsername(username), plan }
  const account = await queries.insertAccount(tx, values)
  await insertMember(tx, { accountId: account.id, userId: owner.id, role: 'owner' })
  if (isFirst) await updateUserRow(tx, owner.id, { admin: true })
  return account
}

/** @throws AppError `invalid_input` naming `username`, `username_taken` */
export async function requireFreeUsername(db: Db, username: string): Promise<void> {
  const holder = await queries.findAccountByUsername(db, checkUsername(username))
  if (holder) throw new AppError('username_taken')
}

/**
 * Changes the owner's email address, password, or both. A new password ends all of the owner's
 * sessions except `currentSessionId`.
 *
 * @throws AppError `invalid_input`, `email_taken`, `not_found`, `busy`, `password_sign_in_off` for
 * a new password
 */
export async function updateAccount(
  ctx: Context,
  db: Db,
  id: number,
  input: { email?: string; password?: string },
  currentSessionId?: number,
): Promise<Account> {
  const owner = await getOwner({ db, accountId: id })
  await updateUser(ctx, db, owner.id, input, currentSessionId)
  return getAccount(db, id)
}

/**
 * Suspends or resumes an account. While it is suspended, its keys are rejected, and its links,
 * lists, bio pages and QR codes return 410.
 *
 * @throws AppError `not_found`, also when resuming an account that is being deleted, `last_admin`
 * for the only admin who can sign in while other accounts exist
 */
export async function setSuspended(
  ctx: Context,
  tx: Tx,
  id: number,
  suspended: boolean,
): Promise<Account> {
  const account = suspended
    ? await requireRemainingAdmin(tx, { closingAccountId: id }, async () =>
        requireFound(await queries.updateAccount(tx, id, { suspended_at: ctx.clock() })),
      )
    : await queries.resumeAccount(tx, id)
  if (!account) {
    const { email } = await getAccount(tx, id)
    throw new AppError('not_found', { text: 'rejections.account_being_deleted', args: { email } })
  }
  await notify(tx, [{ kind: 'keys' }, { kind: 'account', id }])
  return account
}

/** Sets an account's plan and its expiration. @throws AppError `not_found` */
export async function setPlan(
  db: Db,
  id: number,
  plan: Plan,
  expiresAt: Date | null,
): Promise<Account> {
  return requireFound(await queries.updateAccount(db, id, { plan, expires_at: expiresAt }))
}

/** Returns whether the user with this email address owns the account. */
export async function isOwner(scope: AccountScope, email: string): Promise<boolean> {
  const members = await listMembers(scope)
  return members.some((member) => member.role === 'owner' && member.email === email)
}

function requireFound(
  account: Account | undefined,
  options?: ConstructorParameters<typeof AppError>[1],
): Account {
  if (!account) throw new AppError('not_found', options)
  return account
}
