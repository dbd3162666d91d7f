import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { createLimit } from '../concurrency/limit.ts'
import { IDEMPOTENCY_LOCK } from '../db/lock.ts'
import type { Db } from '../db/pool.ts'
import type { Tx } from '../db/transaction.ts'
import { AppError } from '../errors.ts'

export type Idempotency = ReturnType<typeof createIdempotency>

type Attempt = {
  accountId: number
  /** What the client calls the request. */
  key: string
  /** What the request says; the same key must always come with the same. */
  request: string
}

/**
 * Requests that may be sent twice and are done once, as in
 * https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/. Replies are kept for
 * 24 hours.
 */
export function createIdempotency({ db }: { db: Db }) {
  // Each holds a connection while it waits for its turn and while its work asks for a second one, so
  // that as many as the pool has would wait for each other, and everybody else for them.
  const turns = createLimit({ maxRunning: 4, maxWaiting: 200 })

  return {
    /**
     * Runs `work` and keeps its reply in the same transaction, so that there is never one without
     * the other; a repetition gets the kept reply. Two at once take turns. A `work` that throws
     * leaves nothing behind, and the next attempt runs anew. `prepare` comes before the transaction,
     * for what takes time elsewhere, and not at all for a repetition.
     *
     * @throws AppError `idempotency_conflict` when the key came with another request before
     */
    async run<Prepared, Reply>(
      { accountId, key, request }: Attempt,
      prepare: () => Promise<Prepared>,
      work: (tx: Tx, prepared: Prepared) => Promise<Reply>,
    ): Promise<Reply> {
      const hash = createHash('sha256').update(request).digest()
      const known = await findKept(db, accountId, key, hash)
      if (known !== undefined) return JSON.parse(known) as Reply
      const prepared = await prepare()
      return turns.run(() =>
        db.transaction().execute(async (tx) => {
          const lock = sql`hashtext(${`${accountId} ${key}`})`
          await sql`select pg_advisory_xact_lock(${IDEMPOTENCY_LOCK}::int, ${lock})`.execute(tx)
          const kept = await findKept(tx, accountId, key, hash)
          if (kept !== undefined) return JSON.parse(kept) as Reply
          const reply = await work(tx, prepared)
          const response = JSON.stringify(reply)
          await tx
            .insertInto('idempotency_keys')
            .values({ account_id: accountId, key, request_hash: hash, response })
            .onConflict((conflict) =>
              conflict
                .columns(['account_id', 'key'])
                .doUpdateSet({ request_hash: hash, response, created_at: sql`now()` }),
            )
            .execute()
          return reply
        }),
      )
    },
  }
}

async function findKept(
  db: Db,
  accountId: number,
  key: string,
  hash: Buffer,
): Promise<string | undefined> {
  const kept = await db
    .selectFrom('idempotency_keys')
    .select(['request_hash', 'response'])
    .where('account_id', '=', accountId)
    .where('key', '=', key)
    .where('created_at', '>', sql<Date>`now() - interval '24 hours'`)
    .executeTakeFirst()
  if (kept && !kept.request_hash.equals(hash)) throw new AppError('idempotency_conflict')
  return kept?.response
}
