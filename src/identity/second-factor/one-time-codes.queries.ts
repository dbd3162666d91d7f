import type { Db } from '../../db/pool.ts'
import type { Tx } from '../../db/transaction.ts'

/** Turns on one-time codes for a user. Returns false if they were already on. */
export async function storeOneTimeCodes(
  tx: Tx,
  userId: number,
  { secret, lastStep, now }: { secret: Buffer; lastStep: number; now: Date },
): Promise<boolean> {
  const row = await tx
    .insertInto('one_time_codes')
    .values({ user_id: userId, secret, last_step: lastStep, created_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .returning('user_id')
    .executeTakeFirst()
  return row !== undefined
}

export async function findSecret(db: Db, userId: number): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom('one_time_codes')
    .select('secret')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row?.secret
}

/**
 * Marks the code of a time step as used. Returns false if this code or a later one has already been
 * used.
 */
export async function consumeStep(db: Db, userId: number, secret: Buffer, step: number) {
  const row = await db
    .updateTable('one_time_codes')
    .set({ last_step: step })
    .where('user_id', '=', userId)
    .where('secret', '=', secret)
    .where('last_step', '<', step)
    .returning('user_id')
    .executeTakeFirst()
  return row !== undefined
}

/** Turns off one-time codes for a user. Returns whether they were on. */
export async function deleteOneTimeCodes(tx: Tx, userId: number): Promise<boolean> {
  const row = await tx
    .deleteFrom('one_time_codes')
    .where('user_id', '=', userId)
    .returning('user_id')
    .executeTakeFirst()
  return row !== undefined
}

export async function hasRecoveryCodes(db: Db, userId: number): Promise<boolean> {
  const row = await db
    .selectFrom('recovery_codes')
    .select('user_id')
    .where('user_id', '=', userId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Replaces a user's recovery codes with these hashes. */
export async function replaceRecoveryCodes(
  tx: Tx,
  userId: number,
  hashes: readonly Buffer[],
): Promise<void> {
  await tx.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
  if (hashes.length === 0) return
  await tx
    .insertInto('recovery_codes')
    .values(hashes.map((hash) => ({ user_id: userId, hash })))
    .execute()
}

/** Deletes a recovery code when it is used. Returns false if it does not exist. */
export async function consumeRecoveryCode(db: Db, userId: number, hash: Buffer): Promise<boolean> {
  const row = await db
    .deleteFrom('recovery_codes')
    .where('user_id', '=', userId)
    .where('hash', '=', hash)
    .returning('user_id')
    .executeTakeFirst()
  return row !== undefined
}
