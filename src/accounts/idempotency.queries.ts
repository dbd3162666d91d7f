import { type Selectable, sql } from 'kysely'
import { IDEMPOTENCY_LOCK } from '../db/lock.ts'
import type { Db } from '../db/pool.ts'
import type { IdempotencyKeyTable } from '../db/schema/accounts.ts'
import type { Tx } from '../db/transaction.ts'

type StoredReply = Pick<Selectable<IdempotencyKeyTable>, 'request_hash' | 'response'>

/** Waits until no other request uses this key, then locks it until the end of the transaction. */
export async function lockKey(tx: Tx, accountId: number, key: string): Promise<void> {
  const lock = sql`hashtext(${`${accountId} ${key}`})`
  await sql`select pg_advisory_xact_lock(${IDEMPOTENCY_LOCK}::int, ${lock})`.execute(tx)
}

/** Returns the reply stored in the last 24 hours. */
export function findReply(
  db: Db,
  accountId: number,
  key: string,
): Promise<StoredReply | undefined> {
  return db
    .selectFrom('idempotency_keys')
    .select(['request_hash', 'response'])
    .where('account_id', '=', accountId)
    .where('key', '=', key)
    .where('created_at', '>', sql<Date>`now() - interval '24 hours'`)
    .executeTakeFirst()
}

/** Stores a reply, replacing an expired one. */
export async function storeReply(
  tx: Tx,
  {
    accountId,
    key,
    hash,
    response,
  }: { accountId: number; key: string; hash: Buffer; response: string },
): Promise<void> {
  await tx
    .insertInto('idempotency_keys')
    .values({ account_id: accountId, key, request_hash: hash, response })
    .onConflict((conflict) =>
      conflict
        .columns(['account_id', 'key'])
        .doUpdateSet({ request_hash: hash, response, created_at: sql`now()` }),
    )
    .execute()
}
