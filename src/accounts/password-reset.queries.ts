import type { Db } from '../db/pool.ts'
import type { Tx } from '../db/transaction.ts'
import { toAccount } from './account.queries.ts'
import type { Account } from './account.ts'

/** Stores the account's one reset link by the hash of its token, in place of an earlier one. */
export async function storeReset(
  db: Db,
  { accountId, hash, expiresAt }: { accountId: number; hash: Buffer; expiresAt: Date },
): Promise<void> {
  await db
    .insertInto('password_resets')
    .values({ account_id: accountId, hash, expires_at: expiresAt })
    .onConflict((conflict) =>
      conflict.column('account_id').doUpdateSet({ hash, expires_at: expiresAt }),
    )
    .execute()
}

/** The account whose reset link has this hash and is valid at `now`. */
export async function findResetAccount(
  db: Db,
  hash: Buffer,
  now: Date,
): Promise<Account | undefined> {
  const row = await db
    .selectFrom('password_resets')
    .innerJoin('accounts', 'accounts.id', 'password_resets.account_id')
    .selectAll('accounts')
    .where('password_resets.hash', '=', hash)
    .where('password_resets.expires_at', '>', now)
    .executeTakeFirst()
  return row && toAccount(row)
}

/** Deletes a reset link that is valid at `now`, and returns whether there was one. */
export async function takeReset(tx: Tx, hash: Buffer, now: Date): Promise<boolean> {
  const taken = await tx
    .deleteFrom('password_resets')
    .where('hash', '=', hash)
    .where('expires_at', '>', now)
    .returning('account_id')
    .executeTakeFirst()
  return taken !== undefined
}

/** Deletes the account's reset link, if it has one. */
export async function deleteReset(db: Db, accountId: number): Promise<void> {
  await db.deleteFrom('password_resets').where('account_id', '=', accountId).execute()
}
