import { sql } from 'kysely'
import { MIGRATION_LOCK } from './lock.ts'
import type { AppliedMigration } from './migration-files.ts'
import type { Db } from './pool.ts'
import { splitStatements } from './split-statements.ts'

/** Waits for its turn, and has it until the connection ends. */
export async function lockMigrations(db: Db): Promise<void> {
  await sql`select pg_advisory_lock(${MIGRATION_LOCK})`.execute(db)
}

/** Creates the table of applied migrations, if there is none. */
export const CREATE_MIGRATION_TABLE = `create table if not exists migrations (
  name text primary key, checksum text not null, applied_at timestamptz not null default now())`

export async function createMigrationTable(db: Db): Promise<void> {
  await sql.raw(CREATE_MIGRATION_TABLE).execute(db)
}

/** Whether the database has the record of migrations, and with it a schema of this program. */
export async function hasMigrationTable(db: Db): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select to_regclass('migrations') is not null as found`.execute(db)
  return rows[0]?.found === true
}

/** What has been applied, in order. */
export function listApplied(db: Db): Promise<AppliedMigration[]> {
  return db.selectFrom('migrations').select(['name', 'checksum']).orderBy('name').execute()
}

/**
 * Runs a file of statements and records it. One after the other, since Citus refuses several that come
 * together as soon as they touch a table that is spread over machines.
 */
export async function applyMigration(
  db: Db,
  { name, text, checksum }: { name: string; text: string; checksum: string },
): Promise<void> {
  for (const statement of splitStatements(text)) await sql.raw(statement).execute(db)
  await db.insertInto('migrations').values({ name, checksum }).execute()
}
