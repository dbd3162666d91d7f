import type { Db } from '../../db/pool.ts'
import type { Tx } from '../../db/transaction.ts'

/** Turns on a user's one-time codes. Returns false if they were already on. */
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

/** Uses up the code of a step. Returns false if it or a later one was used before. */
export async function takeStep(db: Db, userId: number, secret: Buffer, step: number) {
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

/** Turns off a user's one-time codes. Returns whether they were on. */
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

/** Replaces a user's recovery codes by these hashes. */
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

/** Uses up a recovery code. Returns false if it does not exist. */
export async function takeRecoveryCode(db: Db, userId: number, hash: Buffer): Promise<boolean> {
  const row = await db
    .deleteFrom('recovery_codes')
    .where('user_id', '=', userId)
    .where('hash', '=', hash)
    .returning('user_id')
    .executeTakeFirst()
  return row !== undefined
}
