import { createHash } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import { createFairQueue } from '../concurrency/fair-queue.ts'
import { createLimit } from '../concurrency/limit.ts'
import { own, unscoped } from '../db/account-rows.ts'
import { IDEMPOTENCY_LOCK } from '../db/lock.ts'
import type { Db } from '../db/pool.ts'
import type { IdempotencyKeys } from '../db/tables.generated.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import { AppError } from '../errors.ts'
import type { AccountScope } from '../scope.ts'

type StoredReply = Pick<Selectable<IdempotencyKeys>, 'request_hash' | 'response'>

export type Idempotency = ReturnType<typeof createIdempotency>

type Attempt = {
  accountId: number
  /** The value of the `Idempotency-Key` header. */
  key: string
  /** The content of the request, which must be the same each time the key is used. */
  request: string
}

/**
 * Executes repeated requests only once, as specified in
 * https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/. Replies are stored
 * for 24 hours.
 */
export function createIdempotency({ db }: { db: Db }) {
  // Requests of an account run one at a time. They do not delay other accounts, and concurrent
  // repetitions are not prepared twice.
  const accounts = createFairQueue({ maxRunning: 1000, maxWaiting: 1000, maxWaitingPerKey: 200 })
  // Each transaction uses a connection, and its work may need a second one. If there were as many
  // transactions as connections, they would deadlock.
  const transactions = createLimit({ maxRunning: 4, maxWaiting: 1000 })

  return {
    /**
     * Runs `work` and stores its reply in the same transaction. A repeated request gets the stored
     * reply. If `work` throws, nothing is stored and the next attempt runs it again. `prepare` is
     * for slow work: it runs before the transaction and is skipped for a repeated request.
     *
     * @throws AppError `idempotency_conflict` if the key was used for a different request, `busy`
     */
    async run<Prepared, Reply>(
      { accountId, key, request }: Attempt,
      prepare: () => Promise<Prepared>,
      work: (tx: Tx, prepared: Prepared) => Promise<Reply>,
    ): Promise<Reply> {
      const hash = createHash('sha256').update(request).digest()
      return accounts.run(accountId, async () => {
        const previous = await findStoredReply({ db, accountId }, key, hash)
        if (previous !== undefined) return JSON.parse(previous) as Reply
        const prepared = await prepare()
        return transactions.run(() =>
          inTransaction(db, async (tx) => {
            await lockKey({ db: tx, accountId }, key)
            const stored = await findStoredReply({ db: tx, accountId }, key, hash)
            if (stored !== undefined) return JSON.parse(stored) as Reply
            const reply = await work(tx, prepared)
            await storeReply(tx, { accountId, key, hash, response: JSON.stringify(reply) })
            return reply
          }),
        )
      })
    },
  }
}

async function findStoredReply(
  scope: AccountScope,
  key: string,
  hash: Buffer,
): Promise<string | undefined> {
  const stored = await findReply(scope, key)
  if (stored && !stored.request_hash.equals(hash)) throw new AppError('idempotency_conflict')
  return stored?.response
}

/** Waits until no other request uses this key, then locks it until the end of the transaction. */
async function lockKey(scope: AccountScope<Tx>, key: string): Promise<void> {
  const lock = sql`hashtext(${`${scope.accountId} ${key}`})`
  await sql`select pg_advisory_xact_lock(${IDEMPOTENCY_LOCK}::int, ${lock})`.execute(
    unscoped(scope),
  )
}

/** Returns the reply stored in the last 24 hours. */
function findReply(scope: AccountScope, key: string): Promise<StoredReply | undefined> {
  return own(scope)
    .selectFrom('idempotency_keys')
    .select(['request_hash', 'response'])
    .where('key', '=', key)
    .where('created_at', '>', sql<Date>`now() - interval '24 hours'`)
    .executeTakeFirst()
}

/** Stores a reply, replacing an expired one. */
async function storeReply(
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
