import { type Selectable, sql } from 'kysely'
import type pg from 'pg'
import { equalsIgnoringCase } from '../db/ignoring-case.queries.ts'
import { FIRST_ACCOUNT_LOCK } from '../db/lock.ts'
import type { Db } from '../db/pool.ts'
import type { Accounts } from '../db/tables.generated.ts'
import type { Tx } from '../db/transaction.ts'
import type { Account, Plan } from './account.ts'

type AccountRow = Selectable<Accounts>

/** Creates an account. Usernames are unique regardless of case. */
export async function insertAccount(
  db: Db,
  values: { email: string; username: string; plan: Plan },
): Promise<Account> {
  const row = await db
    .insertInto('accounts')
    .values(values)
    .returningAll()
    .executeTakeFirstOrThrow()
  return toAccount(row)
}

/** Returns up to two accounts owned by the user with this email address, ignoring case. */
export async function findAccountsByEmail(db: Db, email: string): Promise<Account[]> {
  const rows = await db
    .selectFrom('accounts')
    .selectAll()
    .where(equalsIgnoringCase('email', email))
    .orderBy('id')
    .limit(2)
    .execute()
  return rows.map(toAccount)
}

export async function findAccount(db: Db, id: number): Promise<Account | undefined> {
  const row = await db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toAccount(row)
}

/** Returns the account with a username, ignoring case, or undefined if there is none. */
export async function findAccountByUsername(
  db: Db,
  username: string,
): Promise<Account | undefined> {
  const row = await db
    .selectFrom('accounts')
    .selectAll()
    .where(equalsIgnoringCase('username', username))
    .executeTakeFirst()
  return row && toAccount(row)
}

/**
 * Returns whether the installation has no accounts. Concurrent callers wait, so that only one of
 * them creates the first account.
 */
export async function isFirstAccount(tx: Tx): Promise<boolean> {
  if (await hasAccounts(tx)) return false
  await sql`select pg_advisory_xact_lock(${FIRST_ACCOUNT_LOCK})`.execute(tx)
  return !(await hasAccounts(tx))
}

/** Returns whether there are any accounts. */
export async function hasAccounts(db: Db): Promise<boolean> {
  const row = await db.selectFrom('accounts').select('id').limit(1).executeTakeFirst()
  return row !== undefined
}

/** Returns whether another account exists that is not being deleted. */
export async function hasOtherAccounts(tx: Tx, id: number): Promise<boolean> {
  const row = await tx
    .selectFrom('accounts')
    .select('id')
    .where('id', '<>', id)
    .where('deleting_since', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

type AccountChanges = Partial<Pick<AccountRow, 'plan' | 'expires_at' | 'suspended_at'>>

export async function updateAccount(
  db: Db,
  id: number,
  changes: AccountChanges,
): Promise<Account | undefined> {
  const row = await db
    .updateTable('accounts')
    .set(changes)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
  return row && toAccount(row)
}

/**
 * Ends an account's suspension. Returns undefined if the account does not exist or is being
 * deleted.
 */
export async function resumeAccount(db: Db, id: number): Promise<Account | undefined> {
  const row = await db
    .updateTable('accounts')
    .set({ suspended_at: null })
    .where('id', '=', id)
    .where('deleting_since', 'is', null)
    .returningAll()
    .executeTakeFirst()
  return row && toAccount(row)
}

export function toAccount(row: Omit<AccountRow, 'deleting_since' | 'robots'>): Account {
  return {
    id: row.id,
    email: row.email,
    username: row.username,
    plan: row.plan,
    expiresAt: row.expires_at,
    suspended: row.suspended_at !== null,
    registeredAt: row.registered_at,
  }
}

/** Returns whether an account exists, and whether an admin exists. Needs only a database client. */
export async function checkOwners(
  client: pg.ClientBase,
): Promise<{ hasAccount: boolean; hasAdmin: boolean }> {
  const { rows } = await client.query<{ hasAccount: boolean; hasAdmin: boolean }>(
    `select exists (select from accounts) as "hasAccount",
            exists (select from users where admin) as "hasAdmin"`,
  )
  return rows[0] ?? { hasAccount: false, hasAdmin: false }
}
