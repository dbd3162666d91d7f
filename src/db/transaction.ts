import { sql, type Transaction } from 'kysely'
import type { Db } from './pool.ts'
import type { Schema } from './schema.ts'

export type Tx = Transaction<Schema>

type Mode = { isolation?: 'repeatable read'; readOnly?: boolean }

/** Statements that only read, all of them at one moment: what others commit meanwhile is not seen. */
export const SNAPSHOT = { isolation: 'repeatable read', readOnly: true } as const

/**
 * Runs `work` in a new transaction, or in the one that `db` is, whose own mode applies then. If `work`
 * throws, the whole transaction is rolled back. Catch errors of part of a transaction with `inSavepoint`.
 */
export async function inTransaction<T>(
  db: Db,
  work: (tx: Tx) => Promise<T>,
  { isolation, readOnly = false }: Mode = {},
): Promise<T> {
  if (isTransaction(db)) return work(db)
  let transaction = db.transaction()
  if (isolation) transaction = transaction.setIsolationLevel(isolation)
  if (readOnly) transaction = transaction.setAccessMode('read only')
  return transaction.execute(work)
}

/** Runs `work` so that an error of it can be caught without losing what the transaction did before. */
export async function inSavepoint<T>(tx: Tx, work: () => Promise<T>): Promise<T> {
  await sql`savepoint part`.execute(tx)
  try {
    const result = await work()
    await sql`release savepoint part`.execute(tx)
    return result
  } catch (error) {
    // On a broken connection this fails too, and the first error is the one to report.
    await sql`rollback to savepoint part`.execute(tx).catch(() => {})
    throw error
  }
}

/** Returns whether a connection is already in a transaction. */
export function isTransaction(db: Db): db is Tx {
  return db.isTransaction
}
