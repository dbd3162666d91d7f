import type { Transaction } from 'kysely'
import type { Db } from './pool.ts'
import type { Schema } from './schema.ts'

export type Tx = Transaction<Schema>

/** Runs `work` in a transaction: in the one that `db` already is, otherwise in a new one. */
export function inTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return db.isTransaction ? work(db as Tx) : db.transaction().execute(work)
}
