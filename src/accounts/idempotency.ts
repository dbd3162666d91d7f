import { createHash } from 'node:crypto'
import { createFairQueue } from '../concurrency/fair-queue.ts'
import { createLimit } from '../concurrency/limit.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import { AppError } from '../errors.ts'
import { findReply, keepReply, lockKey } from './idempotency.queries.ts'

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
  // What an account asks is prepared and done one after the other, so that it holds up nobody else, and
  // what it repeats meanwhile is prepared once.
  const accounts = createFairQueue({ maxRunning: 1000, maxWaiting: 1000, maxWaitingPerKey: 200 })
  // Each holds a connection while it waits for its turn and while its work asks for a second one, so
  // that as many as the pool has would wait for each other, and everybody else for them.
  const turns = createLimit({ maxRunning: 4, maxWaiting: 1000 })

  return {
    /**
     * Runs `work` and keeps its reply in the same transaction, so that there is never one without
     * the other; a repetition gets the kept reply. Those of an account take turns. A `work` that throws
     * leaves nothing behind, and the next attempt runs anew. `prepare` comes before the transaction,
     * for what takes time elsewhere, and not at all for a repetition.
     *
     * @throws AppError `idempotency_conflict` when the key came with another request before, `busy`
     */
    async run<Prepared, Reply>(
      { accountId, key, request }: Attempt,
      prepare: () => Promise<Prepared>,
      work: (tx: Tx, prepared: Prepared) => Promise<Reply>,
    ): Promise<Reply> {
      const hash = createHash('sha256').update(request).digest()
      return accounts.run(accountId, async () => {
        const known = await findKept(db, accountId, key, hash)
        if (known !== undefined) return JSON.parse(known) as Reply
        const prepared = await prepare()
        return turns.run(() =>
          inTransaction(db, async (tx) => {
            await lockKey(tx, accountId, key)
            const kept = await findKept(tx, accountId, key, hash)
            if (kept !== undefined) return JSON.parse(kept) as Reply
            const reply = await work(tx, prepared)
            await keepReply(tx, { accountId, key, hash, response: JSON.stringify(reply) })
            return reply
          }),
        )
      })
    },
  }
}

async function findKept(
  db: Db,
  accountId: number,
  key: string,
  hash: Buffer,
): Promise<string | undefined> {
  const kept = await findReply(db, accountId, key)
  if (kept && !kept.request_hash.equals(hash)) throw new AppError('idempotency_conflict')
  return kept?.response
}
