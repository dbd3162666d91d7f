import { sql, type Transaction } from 'kysely'
import { type AccountDb, unscoped } from './account-rows.ts'
import type { Db } from './pool.ts'
import type { DB } from './tables.generated.ts'

export type Tx = Transaction<DB>

type TransactionOptions = { isolation?: 'repeatable read'; readOnly?: boolean }

/** Options for reading from one snapshot, which does not include concurrent commits. */
export const SNAPSHOT = { isolation: 'repeatable read', readOnly: true } as const

/**
 * Runs `work` in a new transaction. If `db` is already a transaction, uses it with its isolation
 * level. If `work` throws, the entire transaction is rolled back. To catch errors in a transaction,
 * use `inSavepoint`.
 */
export async function inTransaction<T>(
  db: Db,
  work: (tx: Tx) => Promise<T>,
  { isolation, readOnly = false }: TransactionOptions = {},
): Promise<T> {
  if (isTransaction(db)) return work(db)
  let transaction = db.transaction()
  if (isolation) transaction = transaction.setIsolationLevel(isolation)
  if (readOnly) transaction = transaction.setAccessMode('read only')
  return transaction.execute(work)
}

/** Runs `work` like `inTransaction`, with a scope whose connection is the transaction. */
export function transact<S extends { db: AccountDb }, T>(
  scope: S,
  work: (tx: InTransaction<S>) => Promise<T>,
  options?: TransactionOptions,
): Promise<T> {
  return inTransaction(
    unscoped(scope),
    (tx) => work({ ...scope, db: tx } as InTransaction<S>),
    options,
  )
}

/** A scope whose connection is a transaction. */
export type InTransaction<S extends { db: AccountDb }> = Omit<S, 'db'> & {
  db: S['db'] extends Db ? Tx : AccountDb<Tx>
}

/**
 * Runs `work` in a savepoint, so that an error can be caught without losing earlier changes of the
 * transaction.
 */
export async function inSavepoint<T>(tx: Tx, work: () => Promise<T>): Promise<T> {
  await sql`savepoint part`.execute(tx)
  try {
    const result = await work()
    await sql`release savepoint part`.execute(tx)
    return result
  } catch (error) {
    // On a broken connection, this fails too. The first error is the one to report.
    await sql`rollback to savepoint part`.execute(tx).catch(() => {})
    throw error
  }
}

/** Returns whether a connection is already in a transaction. */
export function isTransaction(db: Db): db is Tx {
  return db.isTransaction
}
