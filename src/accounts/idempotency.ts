import { createHash } from 'node:crypto'
import { sql } from 'kysely'
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
  return {
    /**
     * Runs `work` and keeps its reply in the same transaction, so that there is never one without
     * the other; a repetition gets the kept reply. Two at once take turns. A `work` that throws
     * leaves nothing behind, and the next attempt runs anew.
     *
     * @throws AppError `idempotency_conflict` when the key came with another request before
     */
    once<Reply>(
      { accountId, key, request }: Attempt,
      work: (tx: Tx) => Promise<Reply>,
    ): Promise<Reply> {
      const hash = createHash('sha256').update(request).digest()
      return db.transaction().execute(async (tx) => {
        await sql`select pg_advisory_xact_lock(${IDEMPOTENCY_LOCK}::int, hashtext(${`${accountId} ${key}`}))`.execute(
          tx,
        )
        const kept = await tx
          .selectFrom('idempotency_keys')
          .select(['request_hash', 'response'])
          .where('account_id', '=', accountId)
          .where('key', '=', key)
          .where('created_at', '>', sql<Date>`now() - interval '24 hours'`)
          .executeTakeFirst()
        if (kept && !kept.request_hash.equals(hash)) throw new AppError('idempotency_conflict')
        if (kept) return JSON.parse(kept.response) as Reply
        const reply = await work(tx)
        await tx
          .insertInto('idempotency_keys')
          .values({
            account_id: accountId,
            key,
            request_hash: hash,
            response: JSON.stringify(reply),
          })
          .onConflict((conflict) =>
            conflict.columns(['account_id', 'key']).doUpdateSet({
              request_hash: hash,
              response: JSON.stringify(reply),
              created_at: sql`now()`,
            }),
          )
          .execute()
        return reply
      })
    },
  }
}
