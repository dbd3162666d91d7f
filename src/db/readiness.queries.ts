import { sql } from 'kysely'
import type { Db } from './pool.ts'

/** Returns whether the database accepts changes. A replica, for example, does not. */
export async function isWritable(db: Db): Promise<boolean> {
  const { rows } = await sql<{ writable: boolean }>`
    select current_setting('transaction_read_only') = 'off' as writable`.execute(db)
  return rows[0]?.writable === true
}
