import { sql } from 'kysely'
import { MIGRATION_LOCK } from './lock.ts'
import type { AppliedMigration } from './migration-files.ts'
import type { Db } from './pool.ts'

/**
 * Matches tokens that may contain a semicolon (strings, names, dollar quotes and comments), a
 * single semicolon, or any other character.
 */
const TOKEN =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|\$([A-Za-z_]\w*|)\$[\s\S]*?\$\1\$|--[^\n]*|\/\*[\s\S]*?\*\/|;|[\s\S]/g

/** Acquires the migration lock. It is released when the connection ends. */
export async function lockMigrations(db: Db): Promise<void> {
  await sql`select pg_advisory_lock(${MIGRATION_LOCK})`.execute(db)
}

/** Creates the table of applied migrations if it does not exist. */
export const CREATE_MIGRATION_TABLE = `create table if not exists migrations (
  name text primary key, checksum text not null, applied_at timestamptz not null default now())`

export async function createMigrationTable(db: Db): Promise<void> {
  await sql.raw(CREATE_MIGRATION_TABLE).execute(db)
}

/**
 * Returns whether the database has the table of migrations, and therefore a schema of this program.
 */
export async function hasMigrationTable(db: Db): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select to_regclass('migrations') is not null as found`.execute(db)
  return rows[0]?.found === true
}

/** Returns the applied migrations in order. */
export function listApplied(db: Db): Promise<AppliedMigration[]> {
  return db.selectFrom('migrations').select(['name', 'checksum']).orderBy('name').execute()
}

/**
 * Executes a migration file and records it. Calls `onStatement` with the number of executed
 * statements, and of all statements. Sends one statement at a time, because Citus rejects
 * several at once if they affect a distributed table.
 */
export async function applyMigration(
  db: Db,
  { name, text, checksum }: { name: string; text: string; checksum: string },
  onStatement: (done: number, total: number) => void,
): Promise<void> {
  const statements = splitStatements(text)
  for (const [index, statement] of statements.entries()) {
    onStatement(index, statements.length)
    await sql.raw(statement).execute(db)
  }
  await db.insertInto('migrations').values({ name, checksum }).execute()
}

/**
 * Splits an SQL file into statements. Omits the semicolons between them, and statements that
 * contain only comments. Supports standard quotes and dollar quotes, but not strings with
 * backslashes, nested comments or `begin atomic` bodies.
 * https://www.postgresql.org/docs/current/sql-syntax-lexical.html
 */
export function splitStatements(text: string): string[] {
  const statements: string[] = []
  let statement = ''
  let hasCode = false
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === ';') {
      if (hasCode) statements.push(statement.trim())
      statement = ''
      hasCode = false
      continue
    }
    statement += token
    hasCode ||= !/^(\s|--|\/\*)/.test(token)
  }
  if (hasCode) statements.push(statement.trim())
  return statements
}
