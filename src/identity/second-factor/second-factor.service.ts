import { sql } from 'kysely'
import type { Db } from '../../db/pool.ts'
import type { Tx } from '../../db/transaction.ts'
import { endSessions } from '../user.service.ts'
import type { SecondFactor } from './second-factor.ts'

/** Returns the second factors of a user: one-time codes, recovery codes and passkeys. */
export async function getSecondFactor(db: Db, userId: number): Promise<SecondFactor> {
  const [codes, recovery, passkeys] = await Promise.all([
    db
      .selectFrom('one_time_codes')
      .select('created_at')
      .where('user_id', '=', userId)
      .executeTakeFirst(),
    db
      .selectFrom('recovery_codes')
      .select(({ fn }) => fn.countAll<number>().as('left'))
      .where('user_id', '=', userId)
      .executeTakeFirstOrThrow(),
    db
      .selectFrom('passkeys')
      .select(['id', 'name', 'created_at as createdAt', 'last_used_at as lastUsedAt'])
      .where('user_id', '=', userId)
      .orderBy('id')
      .execute(),
  ])
  return { codesSince: codes?.created_at ?? null, recoveryCodes: recovery.left, passkeys }
}

/**
 * Locks a user until the transaction ends, so that changes of the second factor and new sessions
 * run one at a time. Returns whether the user has a second factor, or undefined if there is no such
 * user.
 */
export async function lockUser(tx: Tx, userId: number): Promise<boolean | undefined> {
  const row = await tx
    .selectFrom('users')
    .select('has_second_factor')
    .where('id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return row?.has_second_factor
}

/** Updates whether a user has a second factor, after it changed. Returns the new value. */
export async function updateHasSecondFactor(tx: Tx, userId: number): Promise<boolean> {
  const row = await tx
    .updateTable('users')
    .set({
      has_second_factor: sql<boolean>`
        exists (select from one_time_codes where user_id = ${userId})
        or exists (select from passkeys where user_id = ${userId})`,
    })
    .where('id', '=', userId)
    .returning('has_second_factor')
    .executeTakeFirst()
  return row?.has_second_factor === true
}

/**
 * Removes the second factor of a user who can no longer use it, and ends all of their sessions.
 * Returns whether they had one.
 */
export async function clearSecondFactor(tx: Tx, userId: number): Promise<boolean> {
  const hadFactor = await lockUser(tx, userId)
  if (!hadFactor) return false
  await deleteSecondFactor(tx, userId)
  await updateHasSecondFactor(tx, userId)
  await endSessions(tx, userId)
  return true
}

/** Deletes the one-time codes, passkeys and recovery codes of a user. */
async function deleteSecondFactor(tx: Tx, userId: number): Promise<void> {
  for (const table of ['one_time_codes', 'passkeys', 'recovery_codes'] as const) {
    await tx.deleteFrom(table).where('user_id', '=', userId).execute()
  }
}

type Setup = { kind: 'codes' | 'passkey'; secret: Buffer; name: string | null; expiresAt: Date }

/** Stores the factor that is being set up in a session. Replaces any earlier one. */
export async function storeSetup(db: Db, sessionId: number, setup: Setup): Promise<void> {
  const { kind, secret, name, expiresAt } = setup
  const values = { kind, secret, name, expires_at: expiresAt }
  await db
    .insertInto('factor_setups')
    .values({ session_id: sessionId, ...values })
    .onConflict((conflict) => conflict.column('session_id').doUpdateSet(values))
    .execute()
}

/** Returns the setup of a session if it is valid at `now`. */
export async function findSetup(
  db: Db,
  sessionId: number,
  kind: Setup['kind'],
  now: Date,
): Promise<{ secret: Buffer; name: string | null } | undefined> {
  return db
    .selectFrom('factor_setups')
    .select(['secret', 'name'])
    .where('session_id', '=', sessionId)
    .where('kind', '=', kind)
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

/** Deletes the setup with this secret. Returns whether it existed. */
export async function consumeSetup(tx: Tx, sessionId: number, secret: Buffer): Promise<boolean> {
  const row = await tx
    .deleteFrom('factor_setups')
    .where('session_id', '=', sessionId)
    .where('secret', '=', secret)
    .returning('session_id')
    .executeTakeFirst()
  return row !== undefined
}
