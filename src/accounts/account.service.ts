import type { Clock } from '../clock.ts'
import { notify } from '../db/notify.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction } from '../db/transaction.ts'
import { AppError, invalid } from '../errors.ts'
import {
  countAccounts,
  findAccount,
  findAccountByEmail,
  findAccountByUsername,
  insertAccount,
  isFirstAccount,
  listAccounts,
  lockAdmins,
  resumeAccount,
  updateAccount,
} from './account.queries.ts'
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
import type { Passwords } from './password.ts'
import { deleteReset } from './password-reset.queries.ts'
import { deleteSessionsOf } from './session.queries.ts'

export type Accounts = ReturnType<typeof createAccounts>

type Dependencies = { db: Db; passwords: Passwords; clock: Clock }

/**
 * Accounts and their passwords. Whoever is meant by an id or address that nobody has is
 * `not_found`.
 */
export function createAccounts({ db, passwords, clock }: Dependencies) {
  async function update(handle: Db, id: number, changes: Parameters<typeof updateAccount>[2]) {
    const account = await updateAccount(handle, id, changes)
    if (!account) throw new AppError('not_found')
    return account
  }

  async function byEmail(email: string): Promise<Account> {
    const account = await findAccountByEmail(db, email)
    if (!account) throw new AppError('not_found', `There is no account with the e-mail ${email}.`)
    return account
  }

  async function byUsername(username: string): Promise<Account> {
    const account = await findAccountByUsername(db, username)
    if (!account) throw new AppError('not_found', `There is no account named ${username}.`)
    return account
  }

  async function byId(id: number): Promise<Account> {
    const account = await findAccount(db, id)
    if (!account) throw new AppError('not_found')
    return account
  }

  return {
    byEmail,
    byUsername,
    byId,
    list: () => listAccounts(db),
    count: () => countAccounts(db),

    /**
     * Registers an account and makes its first key, which is shown this once and never again. The first
     * account of all is an admin. `caller` stands for whose turn the hashing takes.
     *
     * @throws AppError `invalid_input` naming the field, `email_taken`, `username_taken`
     */
    async create(input: NewAccount, caller = ''): Promise<{ account: Account; key: string }> {
      const email = checkEmail(input.email)
      const username = checkUsername(input.username)
      const password_hash = await passwords.hash(caller, checkPassword(input.password))
      const key = generateKey()
      const account = await inTransaction(db, async (tx) => {
        const plan = input.plan ?? 'free'
        const admin = await isFirstAccount(tx)
        const created = await insertAccount(tx, { email, username, password_hash, plan, admin })
        await insertKey(tx, { accountId: created.id, key, scope: 'full' })
        return created
      })
      return { account, key }
    },

    /**
     * Changes e-mail, password or both. A new password ends every session but `staysSignedIn`.
     *
     * @throws AppError `invalid_input`, `email_taken`
     */
    async update(
      id: number,
      input: { email?: string; password?: string },
      staysSignedIn?: number,
    ): Promise<Account> {
      if (input.email === undefined && input.password === undefined) {
        throw invalid('email', 'or password is required')
      }
      const email = input.email === undefined ? undefined : checkEmail(input.email)
      const password = input.password === undefined ? undefined : checkPassword(input.password)
      const password_hash = password === undefined ? undefined : await passwords.hash(id, password)
      return inTransaction(db, async (tx) => {
        const account = await update(tx, id, {
          ...(email && { email }),
          ...(password_hash && { password_hash }),
        })
        if (password_hash) await deleteSessionsOf(tx, id, staysSignedIn)
        // A link that was asked for before may be in hands that the change is to keep out.
        await deleteReset(tx, id)
        return account
      })
    },

    /**
     * Refuses, or accepts again, every key of the account, from the next request on, and has its links,
     * lists, bio pages and codes answer visitors that they are gone, or as before.
     *
     * @throws AppError `not_found`, also for an account that is being deleted and cannot be resumed,
     *   `last_admin` if it is the only admin that can sign in and there are other accounts
     */
    setSuspended: (id: number, suspended: boolean): Promise<Account> =>
      inTransaction(db, async (tx) => {
        if (suspended) await keepAnAdmin(tx, id)
        const account = suspended
          ? await update(tx, id, { suspended_at: clock() })
          : await resumeAccount(tx, id)
        if (!account) {
          const { email } = await byId(id)
          throw new AppError('not_found', `The account ${email} is being deleted.`)
        }
        await notify(tx, [{ kind: 'keys' }, { kind: 'account', id }])
        return account
      }),

    setPlan: (id: number, plan: Plan, expiresAt: Date | null): Promise<Account> =>
      update(db, id, { plan, expires_at: expiresAt }),

    /**
     * Makes sure that who acts is an admin still, and lets nobody change that until the transaction ends.
     *
     * @throws AppError `forbidden`
     */
    holdAdmin: (username: string): Promise<void> =>
      inTransaction(db, async (tx) => {
        const admins = await lockAdmins(tx)
        if (!admins.some((admin) => admin.username === username)) throw new AppError('forbidden')
      }),

    /**
     * Shows the account the operator's pages, or no longer.
     *
     * @throws AppError `not_found`, `last_admin` if nobody else would see them
     */
    setAdmin: (id: number, admin: boolean): Promise<Account> =>
      inTransaction(db, async (tx) => {
        const admins = await lockAdmins(tx)
        if (!admin && admins.length === 1 && admins[0]?.id === id) throw new AppError('last_admin')
        return update(tx, id, { admin })
      }),
  }
}
