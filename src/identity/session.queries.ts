import { sql } from 'kysely'
import { equalsIgnoringCase } from '../db/ignoring-case.queries.ts'
import type { Db } from '../db/pool.ts'
import { toAccount } from './account.queries.ts'
import { getSessionCutoffs, SESSIONS_PER_USER, type Session } from './session.ts'
import type { User } from './user.ts'
import { readLanguage } from './user.ts'

export type Credentials = { user: User; passwordHash: string | null }

/**
 * Returns the user with this email address and the stored password hash, to verify a sign-in.
 * Returns undefined if there is no such user.
 */
export async function findCredentials(db: Db, email: string): Promise<Credentials | undefined> {
  const row = await db
    .selectFrom('users')
    .select(['id', 'email', 'password_hash'])
    .where(equalsIgnoringCase('email', email))
    .executeTakeFirst()
  return row && { user: { id: row.id, email: row.email }, passwordHash: row.password_hash }
}

/**
 * Creates a session for a member if the user's password has not changed since it was verified and
 * no second factor is missing. Returns whether it did. Locks the user and the membership, so that a
 * concurrent change of either one is detected here or ends this session.
 */
export async function insertSession(
  db: Db,
  { userId, accountId, passwordHash, hasVerifiedFactor, hash, now, browser }: NewSession,
): Promise<boolean> {
  const inserted = await db
    .insertInto('sessions')
    .columns(['user_id', 'account_id', 'hash', 'created_at', 'last_used_at', 'browser'])
    .expression((eb) =>
      eb
        .selectFrom('users')
        .innerJoin('members', 'members.user_id', 'users.id')
        .select([
          'members.user_id',
          'members.account_id',
          sql<Buffer>`${hash}::bytea`.as('hash'),
          sql<Date>`${now}::timestamptz`.as('created_at'),
          sql<Date>`${now}::timestamptz`.as('last_used_at'),
          sql<string | null>`${browser ?? null}::text`.as('browser'),
        ])
        .where('users.id', '=', userId)
        .where('members.account_id', '=', accountId)
        .$if(passwordHash !== undefined, (query) =>
          query.where('users.password_hash', '=', String(passwordHash)),
        )
        .$if(!hasVerifiedFactor, (query) => query.where('users.has_second_factor', '=', false))
        .forShare(),
    )
    .returning('id')
    .executeTakeFirst()
  return inserted !== undefined
}

type NewSession = {
  userId: number
  /** The account that the session works in. */
  accountId: number
  hash: Buffer
  now: Date
  /** The stored hash that the user's password matched, if the user entered one. */
  passwordHash?: string | undefined
  /** Whether a second factor was verified. Required for users who have one. */
  hasVerifiedFactor: boolean
  browser?: string | undefined
}

/** Deletes a user's expired sessions and those above the maximum number. */
export async function trimSessions(db: Db, userId: number, now: Date): Promise<void> {
  const { minLastUsedAt, minCreatedAt } = getSessionCutoffs(now)
  await db
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .where(({ eb, or }) =>
      or([
        eb('last_used_at', '<=', minLastUsedAt),
        eb('created_at', '<=', minCreatedAt),
        eb(
          'id',
          'in',
          eb
            .selectFrom('sessions')
            .select('id')
            .where('user_id', '=', userId)
            .orderBy('last_used_at', 'desc')
            .orderBy('id', 'desc')
            .offset(SESSIONS_PER_USER),
        ),
      ]),
    )
    .execute()
}

/**
 * Returns the session with this hash, or undefined unless it is valid at `now`, its user is a
 * member of the account and the account is not suspended.
 */
export async function findSession(
  db: Db,
  hash: Buffer,
  now: Date,
): Promise<(Session & { lastUsedAt: Date }) | undefined> {
  const { minLastUsedAt, minCreatedAt } = getSessionCutoffs(now)
  const row = await db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .innerJoin('members', (join) =>
      join
        .onRef('members.user_id', '=', 'sessions.user_id')
        .onRef('members.account_id', '=', 'sessions.account_id'),
    )
    .innerJoin('accounts', 'accounts.id', 'sessions.account_id')
    .selectAll('accounts')
    .select([
      'sessions.id as session_id',
      'sessions.last_used_at',
      'users.id as user_id',
      'users.email as user_email',
      'users.language',
      'users.time_zone',
      'users.admin',
      sql<boolean>`users.password_hash is not null`.as('has_password'),
      'sessions.created_at as started_at',
      'members.role',
    ])
    .where('sessions.hash', '=', hash)
    .where('sessions.last_used_at', '>', minLastUsedAt)
    .where('sessions.created_at', '>', minCreatedAt)
    .where('accounts.suspended_at', 'is', null)
    .executeTakeFirst()
  return (
    row && {
      id: row.session_id,
      user: {
        id: row.user_id,
        email: row.user_email,
        language: readLanguage(row.language),
        timeZone: row.time_zone,
        admin: row.admin,
        hasPassword: row.has_password,
      },
      account: toAccount(row),
      role: row.role,
      startedAt: row.started_at,
      lastUsedAt: row.last_used_at,
    }
  )
}

/**
 * Switches a session to another account. Returns whether it did, which requires that the session
 * exists, that its user is a member of that account and that the account is not suspended.
 */
export async function updateSessionAccount(
  db: Db,
  { id, userId, accountId }: { id: number; userId: number; accountId: number },
): Promise<boolean> {
  const row = await db
    .updateTable('sessions')
    .from((eb) =>
      eb
        .selectFrom('members')
        .innerJoin('accounts', 'accounts.id', 'members.account_id')
        .select('members.account_id as to_account')
        .where('members.user_id', '=', userId)
        .where('members.account_id', '=', accountId)
        .where('accounts.suspended_at', 'is', null)
        .forShare('members')
        .as('target'),
    )
    .set((eb) => ({ account_id: eb.ref('target.to_account') }))
    .where('sessions.id', '=', id)
    .where('sessions.user_id', '=', userId)
    .returning('sessions.id')
    .executeTakeFirst()
  return row !== undefined
}

/** Records that a session was used. */
export async function touchSession(db: Db, id: number, now: Date): Promise<void> {
  await db.updateTable('sessions').set({ last_used_at: now }).where('id', '=', id).execute()
}

/** Ends the session with this token hash. */
export async function deleteSession(db: Db, hash: Buffer): Promise<void> {
  await db.deleteFrom('sessions').where('hash', '=', hash).execute()
}
