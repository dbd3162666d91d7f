import { sql } from 'kysely'
import type { Db } from '../db/pool.ts'
import { toAccount } from './account.queries.ts'
import type { Account } from './account.ts'
import { type ListedSession, livingSince, SESSIONS_PER_ACCOUNT, type Session } from './session.ts'

export type Credentials = { account: Account; passwordHash: string }

/** What a sign-in with this address is held against. */
export async function findCredentials(db: Db, email: string): Promise<Credentials | undefined> {
  const row = await db
    .selectFrom('accounts')
    .selectAll()
    .where(sql`lower(email)`, '=', email.toLowerCase())
    .executeTakeFirst()
  return row && { account: toAccount(row), passwordHash: row.password_hash }
}

/**
 * Begins a session of an account whose password is still the one that was checked. The account's row is
 * held, so that a change of the password ends this session or is seen by it.
 */
export async function insertSession(
  db: Db,
  { accountId, passwordHash, hash, now, browser }: NewSession,
): Promise<boolean> {
  const inserted = await db
    .insertInto('sessions')
    .columns(['account_id', 'hash', 'created_at', 'last_used_at', 'browser'])
    .expression((eb) =>
      eb
        .selectFrom('accounts')
        .select([
          'id',
          sql<Buffer>`${hash}::bytea`.as('hash'),
          sql<Date>`${now}::timestamptz`.as('created_at'),
          sql<Date>`${now}::timestamptz`.as('last_used_at'),
          sql<string | null>`${browser ?? null}::text`.as('browser'),
        ])
        .where('id', '=', accountId)
        .$if(passwordHash !== undefined, (query) =>
          query.where('password_hash', '=', String(passwordHash)),
        )
        .forShare(),
    )
    .returning('id')
    .executeTakeFirst()
  return inserted !== undefined
}

type NewSession = {
  accountId: number
  hash: Buffer
  now: Date
  /** The hash that a password was checked against, where one was. */
  passwordHash?: string | undefined
  browser?: string | undefined
}

/** Deletes the sessions of an account that have ended, and those beyond the number it may have. */
export async function trimSessions(db: Db, accountId: number, now: Date): Promise<void> {
  const { used, begun } = livingSince(now)
  await db
    .deleteFrom('sessions')
    .where('account_id', '=', accountId)
    .where(({ eb, or }) =>
      or([
        eb('last_used_at', '<=', used),
        eb('created_at', '<=', begun),
        eb(
          'id',
          'in',
          eb
            .selectFrom('sessions')
            .select('id')
            .where('account_id', '=', accountId)
            .orderBy('last_used_at', 'desc')
            .orderBy('id', 'desc')
            .offset(SESSIONS_PER_ACCOUNT),
        ),
      ]),
    )
    .execute()
}

/** The session with this hash, if it lives at `now` and its account is not suspended. */
export async function findSession(
  db: Db,
  hash: Buffer,
  now: Date,
): Promise<(Session & { lastUsedAt: Date }) | undefined> {
  const { used, begun } = livingSince(now)
  const row = await db
    .selectFrom('sessions')
    .innerJoin('accounts', 'accounts.id', 'sessions.account_id')
    .selectAll('accounts')
    .select(['sessions.id as session_id', 'sessions.last_used_at'])
    .where('sessions.hash', '=', hash)
    .where('sessions.last_used_at', '>', used)
    .where('sessions.created_at', '>', begun)
    .where('accounts.suspended_at', 'is', null)
    .executeTakeFirst()
  return row && { id: row.session_id, account: toAccount(row), lastUsedAt: row.last_used_at }
}

/** Writes down that a session was used. */
export async function touchSession(db: Db, id: number, now: Date): Promise<void> {
  await db.updateTable('sessions').set({ last_used_at: now }).where('id', '=', id).execute()
}

/** Ends the session whose token has this hash. */
export async function deleteSession(db: Db, hash: Buffer): Promise<void> {
  await db.deleteFrom('sessions').where('hash', '=', hash).execute()
}

/** The sessions of an account that live at `now`, the last used first. */
export async function listSessions(db: Db, accountId: number, now: Date): Promise<ListedSession[]> {
  const { used, begun } = livingSince(now)
  return db
    .selectFrom('sessions')
    .select(['id', 'browser', 'created_at as createdAt', 'last_used_at as lastUsedAt'])
    .where('account_id', '=', accountId)
    .where('last_used_at', '>', used)
    .where('created_at', '>', begun)
    .orderBy('last_used_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
}

/** Ends one session of an account, if it has it. */
export async function deleteOwnSession(db: Db, accountId: number, id: number): Promise<void> {
  await db.deleteFrom('sessions').where('account_id', '=', accountId).where('id', '=', id).execute()
}

/** What the password of an account is held against. */
export async function findPasswordHash(db: Db, accountId: number): Promise<string | undefined> {
  const row = await db
    .selectFrom('accounts')
    .select('password_hash')
    .where('id', '=', accountId)
    .executeTakeFirst()
  return row?.password_hash
}

/** Ends every session of an account but the one that is to stay. */
export async function deleteSessionsOf(db: Db, accountId: number, stays?: number): Promise<void> {
  await db
    .deleteFrom('sessions')
    .where('account_id', '=', accountId)
    .$if(stays !== undefined, (query) => query.where('id', '!=', Number(stays)))
    .execute()
}
