import { sql } from 'kysely'
import { own } from '../db/account-rows.ts'
import { equalsIgnoringCase } from '../db/ignoring-case.queries.ts'
import type { Db } from '../db/pool.ts'
import type { Tx } from '../db/transaction.ts'
import type { AccountScope } from '../scope.ts'
import type { User } from './user.ts'

/** Creates a user. A unique index on `email` ignores case. */
export async function insertUser(
  tx: Tx,
  values: {
    email: string
    password_hash: string | null
    language?: string
    time_zone?: string
    email_verified?: boolean
  },
): Promise<User> {
  return tx.insertInto('users').values(values).returning(['id', 'email']).executeTakeFirstOrThrow()
}

export async function findUser(db: Db, id: number): Promise<User | undefined> {
  return db.selectFrom('users').select(['id', 'email']).where('id', '=', id).executeTakeFirst()
}

export async function findUserByEmail(db: Db, email: string): Promise<User | undefined> {
  return db
    .selectFrom('users')
    .select(['id', 'email'])
    .where(equalsIgnoringCase('email', email))
    .executeTakeFirst()
}

/**
 * Returns the stored language of the user with this email address, or undefined if there is none.
 */
export async function findUserLanguage(db: Db, email: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('users')
    .select('language')
    .where(equalsIgnoringCase('email', email))
    .executeTakeFirst()
  return row?.language
}

export async function updateUserRow(
  db: Db,
  id: number,
  changes: {
    email?: string
    password_hash?: string
    language?: string
    time_zone?: string
    admin?: boolean
    email_verified?: boolean
  },
): Promise<User | undefined> {
  return db
    .updateTable('users')
    .set(changes)
    .where('id', '=', id)
    .returning(['id', 'email'])
    .executeTakeFirst()
}

/** Returns the password hash of a user, or undefined if the user has none. */
export async function findPasswordHash(db: Db, userId: number): Promise<string | undefined> {
  const row = await db
    .selectFrom('users')
    .select('password_hash')
    .where('id', '=', userId)
    .executeTakeFirst()
  return row?.password_hash ?? undefined
}

/**
 * Returns an account's owner, or undefined if there is none. If there are several, returns the one
 * who joined the account first.
 */
export async function findOwner(scope: AccountScope): Promise<User | undefined> {
  return own(scope)
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .select(['users.id', 'users.email'])
    .where('members.role', '=', 'owner')
    .orderBy('members.created_at')
    .orderBy('members.user_id')
    .executeTakeFirst()
}

/** Copies a user's email address to each account that the user owns. */
export async function copyOwnerEmails(tx: Tx, userId: number): Promise<void> {
  await sql`
    update accounts set email = owner.email
    from (
      select distinct on (m.account_id) m.account_id, u.email
      from members m join users u on u.id = m.user_id
      where m.role = 'owner'
        and m.account_id in (select account_id from members where user_id = ${userId})
      order by m.account_id, m.created_at, m.user_id
    ) owner
    where accounts.id = owner.account_id and accounts.email <> owner.email`.execute(tx)
}

export async function deleteUserRow(tx: Tx, id: number): Promise<boolean> {
  const row = await tx.deleteFrom('users').where('id', '=', id).returning('id').executeTakeFirst()
  return row !== undefined
}

/** Deletes those of the users who are not members of any account. */
export async function deleteUsersWithoutAccount(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx
    .deleteFrom('users')
    .where('id', '=', sql<number>`any(${[...ids]}::bigint[])`)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('members').select('user_id').whereRef('user_id', '=', 'users.id'))),
    )
    .execute()
}
