import { sql } from 'kysely'
import type { Db } from '../../db/pool.ts'
import type { Tx } from '../../db/transaction.ts'
import type { User } from '../user.ts'

export type PendingSignIn = {
  user: User
  /** The account in which the session starts, or null for the user's first account. */
  accountId: number | null
  passwordHash: string | null
  /** The hash of the link of the invitation that the sign-in accepts, or null. */
  invitationHash: Buffer | null
}

type NewPendingSignIn = {
  hash: Buffer
  userId: number
  accountId?: number | undefined
  passwordHash?: string | undefined
  invitationHash?: Buffer | undefined
  expiresAt: Date
}

/**
 * Stores the first step of a sign-in. Returns false if the user has no second factor, or if the
 * password has changed since it was checked.
 */
export async function insertPendingSignIn(tx: Tx, pending: NewPendingSignIn): Promise<boolean> {
  const { hash, userId, accountId, passwordHash, invitationHash, expiresAt } = pending
  const row = await tx
    .insertInto('pending_sign_ins')
    .columns(['hash', 'user_id', 'account_id', 'password_hash', 'invitation_hash', 'expires_at'])
    .expression((eb) =>
      eb
        .selectFrom('users')
        .select([
          sql<Buffer>`${hash}::bytea`.as('hash'),
          'users.id',
          sql<number | null>`${accountId ?? null}::bigint`.as('account_id'),
          sql<string | null>`${passwordHash ?? null}::text`.as('password_hash'),
          sql<Buffer | null>`${invitationHash ?? null}::bytea`.as('invitation_hash'),
          sql<Date>`${expiresAt}::timestamptz`.as('expires_at'),
        ])
        .where('users.id', '=', userId)
        .where('users.has_second_factor', '=', true)
        .$if(passwordHash !== undefined, (query) =>
          query.where('users.password_hash', '=', String(passwordHash)),
        ),
    )
    .returning('hash')
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Returns the pending sign-in with this hash if it is valid at `now` and the password has not
 * changed.
 */
export async function findPendingSignIn(
  db: Db,
  hash: Buffer,
  now: Date,
): Promise<PendingSignIn | undefined> {
  const row = await db
    .selectFrom('pending_sign_ins as p')
    .innerJoin('users', 'users.id', 'p.user_id')
    .select(['users.id', 'users.email', 'p.account_id', 'p.password_hash', 'p.invitation_hash'])
    .where('p.hash', '=', hash)
    .where('p.expires_at', '>', now)
    .where((eb) =>
      eb.or([
        eb('p.password_hash', 'is', null),
        eb('p.password_hash', '=', eb.ref('users.password_hash')),
      ]),
    )
    .executeTakeFirst()
  return (
    row && {
      user: { id: row.id, email: row.email },
      accountId: row.account_id,
      passwordHash: row.password_hash,
      invitationHash: row.invitation_hash,
    }
  )
}

/** Stores a pending sign-in without a user. A passkey will identify the user. */
export async function insertUnknownSignIn(
  db: Db,
  { hash, expiresAt }: { hash: Buffer; expiresAt: Date },
): Promise<void> {
  await db.insertInto('pending_sign_ins').values({ hash, expires_at: expiresAt }).execute()
}

/**
 * Returns whether there is a pending sign-in without a user that has this hash and is valid at
 * `now`.
 */
export async function isUnknownSignIn(db: Db, hash: Buffer, now: Date): Promise<boolean> {
  const row = await db
    .selectFrom('pending_sign_ins')
    .select('hash')
    .where('hash', '=', hash)
    .where('user_id', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return row !== undefined
}

/** Replaces the challenge of a pending sign-in. */
export async function storeChallenge(db: Db, hash: Buffer, challenge: Buffer): Promise<void> {
  await db.updateTable('pending_sign_ins').set({ challenge }).where('hash', '=', hash).execute()
}

/** Returns the challenge of a pending sign-in and deletes it, so that it can only be used once. */
export async function consumeChallenge(db: Db, hash: Buffer): Promise<Buffer | undefined> {
  const pending = await db
    .selectFrom('pending_sign_ins')
    .select('challenge')
    .where('hash', '=', hash)
    .executeTakeFirst()
  if (!pending?.challenge) return undefined
  const updated = await db
    .updateTable('pending_sign_ins')
    .set({ challenge: null })
    .where('hash', '=', hash)
    .where('challenge', '=', pending.challenge)
    .returning('hash')
    .executeTakeFirst()
  return updated && pending.challenge
}

/** Deletes a pending sign-in that is valid at `now`. Returns whether it existed. */
export async function consumePendingSignIn(tx: Tx, hash: Buffer, now: Date): Promise<boolean> {
  const row = await tx
    .deleteFrom('pending_sign_ins')
    .where('hash', '=', hash)
    .where('expires_at', '>', now)
    .returning('hash')
    .executeTakeFirst()
  return row !== undefined
}
