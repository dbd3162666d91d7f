import { sql, type Transaction } from 'kysely'
import type { Db } from './pool.ts'
import type { Schema } from './schema.ts'

export type Tx = Transaction<Schema>

/**
 * Runs `work` in a transaction: in a new one, or in a part of the one that `db` already is. Either way
 * a `work` that throws leaves nothing behind, and what came before it in the transaction stands.
 */
export async function inTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  if (!db.isTransaction) return db.transaction().execute(work)
  const tx = db as Tx
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

/**
 * Runs statements that only read, all of them at one moment: what others commit meanwhile is not
 * seen. Within a transaction it is that transaction's own rules that hold.
 */
export async function inSnapshot<T>(db: Db, work: (db: Db) => Promise<T>): Promise<T> {
  if (db.isTransaction) return work(db)
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(work)
}
