import { sql } from 'kysely'
import { unscoped } from '../db/account-rows.ts'
import type { Db } from '../db/pool.ts'
import type { Tx } from '../db/transaction.ts'
import type { AccountScope } from '../scope.ts'
import type { User } from './user.ts'

/**
 * Stores the hash of a user's reset token. A token that is not mailed replaces an earlier one that
 * was not mailed either.
 */
export async function storeReset(
  db: Db,
  reset: { userId: number; hash: Buffer; mailed: boolean; expiresAt: Date },
): Promise<void> {
  const { userId, hash, mailed, expiresAt } = reset
  await db
    .insertInto('password_resets')
    .values({ user_id: userId, hash, mailed, expires_at: expiresAt })
    .onConflict((conflict) =>
      conflict
        .column('user_id')
        .where('mailed', '=', sql<boolean>`false`)
        .doUpdateSet({ hash, expires_at: expiresAt }),
    )
    .execute()
}

/** Returns the user whose reset token has this hash and is valid at `now`. */
export async function findResetUser(db: Db, hash: Buffer, now: Date): Promise<User | undefined> {
  return db
    .selectFrom('password_resets')
    .innerJoin('users', 'users.id', 'password_resets.user_id')
    .select(['users.id', 'users.email'])
    .where('password_resets.hash', '=', hash)
    .where('password_resets.expires_at', '>', now)
    .executeTakeFirst()
}

/**
 * Deletes all reset tokens of a user. Returns whether the token with this hash was mailed, or
 * undefined if it does not exist or is not valid at `now`.
 */
export async function consumeResets(
  tx: Tx,
  { userId, hash, now }: { userId: number; hash: Buffer; now: Date },
): Promise<{ mailed: boolean } | undefined> {
  const deleted = await tx
    .deleteFrom('password_resets')
    .where('user_id', '=', userId)
    .returning(['hash', 'mailed', 'expires_at'])
    .execute()
  return deleted.find((reset) => reset.hash.equals(hash) && reset.expires_at > now)
}

/** Deletes the reset tokens of a user. */
export async function deleteResets(db: Db, userId: number): Promise<void> {
  await db.deleteFrom('password_resets').where('user_id', '=', userId).execute()
}

/** Deletes the reset tokens of an account's members. */
export async function deleteMemberResets(scope: AccountScope<Tx>): Promise<void> {
  await unscoped(scope)
    .deleteFrom('password_resets')
    .where('user_id', 'in', (eb) =>
      eb.selectFrom('members').select('user_id').where('account_id', '=', scope.accountId),
    )
    .execute()
}

/** Returns whether all of a user's accounts are suspended. */
export async function areAllAccountsSuspended(db: Db, userId: number): Promise<boolean> {
  const row = await db
    .selectFrom('members')
    .innerJoin('accounts', 'accounts.id', 'members.account_id')
    .select(sql<boolean>`bool_and(suspended_at is not null)`.as('suspended'))
    .where('members.user_id', '=', userId)
    .executeTakeFirst()
  return row?.suspended === true
}
