import { sql } from 'kysely'
import type { Db } from '../db/pool.ts'

export type DatabaseFacts = { version: string; bytes: number }

/** Returns the version of the database server and the size of the database on it. */
export async function readDatabaseFacts(db: Db): Promise<DatabaseFacts> {
  const { rows } = await sql<{ version: string; bytes: string }>`
    select current_setting('server_version') as version,
           pg_database_size(current_database()) as bytes`.execute(db)
  const [facts] = rows
  return { version: facts?.version ?? '', bytes: Number(facts?.bytes) }
}
