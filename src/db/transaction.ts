import { sql, type Transaction } from 'kysely'
import type { Db } from './pool.ts'
import type { Schema } from './schema.ts'

export type Tx = Transaction<Schema>

type Mode = { isolation?: 'repeatable read'; readOnly?: boolean }

/** Statements that only read, all of them at one moment: what others commit meanwhile is not seen. */
export const SNAPSHOT = { isolation: 'repeatable read', readOnly: true } as const

/**
 * Runs `work` in a transaction: in a new one, or in a part of the one that `db` already is, whose own
 * mode holds then. Either way a `work` that throws leaves nothing behind, and what came before it in
 * the transaction stands.
 */
export async function inTransaction<T>(
  db: Db,
  work: (tx: Tx) => Promise<T>,
  { isolation, readOnly = false }: Mode = {},
): Promise<T> {
  if (isInTransaction(db)) return inPart(db, work)
  let transaction = db.transaction()
  if (isolation) transaction = transaction.setIsolationLevel(isolation)
  if (readOnly) transaction = transaction.setAccessMode('read only')
  return transaction.execute(work)
}

async function inPart<T>(tx: Tx, work: (tx: Tx) => Promise<T>): Promise<T> {
  await sql`savepoint part`.execute(tx)
  try {
    const result = await work(tx)
    await sql`release savepoint part`.execute(tx)
    return result
  } catch (error) {
    // On a connection that broke this fails too, and the first error is the one to tell of.
    await sql`rollback to savepoint part`.execute(tx).catch(() => {})
    throw error
  }
}

function isInTransaction(db: Db): db is Tx {
  return db.isTransaction
}
