import type { Context } from '../context.ts'
import { notify } from '../db/notify.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import { AppError, invalid } from '../errors.ts'
import * as queries from './account.queries.ts'
import {
  type Account,
  checkEmail,
  checkPassword,
  checkUsername,
  type NewAccount,
  type Plan,
} from './account.ts'
import { generateKey } from './api-key.ts'
import { insertKey } from './key.queries.ts'
import { keepAnAdmin } from './last-admin.ts'
import { deleteReset } from './password-reset.queries.ts'
import { deleteSessionsOf } from './session.queries.ts'

/** @throws AppError `not_found` */
export async function getAccount(db: Db, id: number): Promise<Account> {
  return found(await queries.findAccount(db, id))
}

/** @throws AppError `not_found` naming the address */
export async function getAccountByEmail(db: Db, email: string): Promise<Account> {
  const account = await queries.findAccountByEmail(db, email)
  return found(account, `There is no account with the e-mail ${email}.`)
}

/** @throws AppError `not_found` naming the username */
export async function getAccountByUsername(db: Db, username: string): Promise<Account> {
  const account = await queries.findAccountByUsername(db, username)
  return found(account, `There is no account named ${username}.`)
}

export function listAccounts(db: Db): Promise<Account[]> {
  return queries.listAccounts(db)
}

export function countAccounts(db: Db): Promise<number> {
  return queries.countAccounts(db)
}

/**
 * Creates an account and its first key, whose text is returned here and stored nowhere. The first
 * account of all is an admin.
 *
 * @throws AppError `invalid_input` naming the field, `email_taken`, `username_taken`, `busy`
 */
export async function createAccount(
  ctx: Pick<Context, 'passwords'>,
  db: Db,
  input: NewAccount,
  hash = (password: string) => ctx.passwords.own.hash('', password),
): Promise<{ account: Account; key: string }> {
  const email = checkEmail(input.email)
  const username = checkUsername(input.username)
  const password_hash = await hash(checkPassword(input.password))
  const key = generateKey()
  const account = await inTransaction(db, async (tx) => {
    const plan = input.plan ?? 'free'
    const admin = await queries.isFirstAccount(tx)
    const values = { email, username, password_hash, plan, admin }
    const created = await queries.insertAccount(tx, values)
    await insertKey(tx, { accountId: created.id, key, scope: 'full' })
    return created
  })
  return { account, key }
}

/**
 * Changes an account's email address, its password, or both. A new password ends every session but
 * `staysSignedIn`.
 *
 * @throws AppError `invalid_input`, `email_taken`, `not_found`
 */
export async function updateAccount(
  ctx: Context,
  db: Db,
  id: number,
  input: { email?: string; password?: string },
  staysSignedIn?: number,
): Promise<Account> {
  if (input.email === undefined && input.password === undefined) {
    throw invalid('email', 'or password is required')
  }
  const email = input.email === undefined ? undefined : checkEmail(input.email)
  const password = input.password === undefined ? undefined : checkPassword(input.password)
  const password_hash =
    password === undefined ? undefined : await ctx.passwords.own.hash(id, password)
  return inTransaction(db, async (tx) => {
    const changes = { ...(email && { email }), ...(password_hash && { password_hash }) }
    const account = found(await queries.updateAccount(tx, id, changes))
    if (password_hash) await deleteSessionsOf(tx, id, staysSignedIn)
    // Whoever the change is to keep out may hold a reset link.
    await deleteReset(tx, id)
    return account
  })
}

/**
 * Refuses or accepts every key of the account from the next request on. While it is suspended, its
 * links, lists, bio pages and codes answer visitors with 410.
 *
 * @throws AppError `not_found`, also for resuming an account that is being deleted, `last_admin` for
 *   the only admin that can sign in while there are other accounts
 */
export async function setSuspended(
  ctx: Context,
  tx: Tx,
  id: number,
  suspended: boolean,
): Promise<Account> {
  if (suspended) await keepAnAdmin(tx, id)
  const account = suspended
    ? found(await queries.updateAccount(tx, id, { suspended_at: ctx.clock() }))
    : await queries.resumeAccount(tx, id)
  if (!account) {
    const { email } = await getAccount(tx, id)
    throw new AppError('not_found', `The account ${email} is being deleted.`)
  }
  await notify(tx, [{ kind: 'keys' }, { kind: 'account', id }])
  return account
}

/** @throws AppError `not_found` */
export async function setPlan(
  db: Db,
  id: number,
  plan: Plan,
  expiresAt: Date | null,
): Promise<Account> {
  return found(await queries.updateAccount(db, id, { plan, expires_at: expiresAt }))
}

/**
 * Requires that `username` is an admin, and locks the admins until the transaction ends.
 *
 * @throws AppError `forbidden`
 */
export async function requireAdmin(tx: Tx, username: string): Promise<void> {
  const admins = await queries.lockAdmins(tx)
  if (!admins.some((admin) => admin.username === username)) throw new AppError('forbidden')
}

/**
 * Opens the admin pages of the console to an account, or closes them.
 *
 * @throws AppError `not_found`, `last_admin` if no other account could open them
 */
export async function setAdmin(tx: Tx, id: number, admin: boolean): Promise<Account> {
  const admins = await queries.lockAdmins(tx)
  if (!admin && admins.length === 1 && admins[0]?.id === id) throw new AppError('last_admin')
  return found(await queries.updateAccount(tx, id, { admin }))
}

function found(account: Account | undefined, message?: string): Account {
  if (!account) throw new AppError('not_found', message)
  return account
}
