import { sql } from 'kysely'
import type { Db } from './pool.ts'

/** Checks that the database responds. */
export async function ping(db: Db): Promise<void> {
  await sql`select 1`.execute(db)
}
