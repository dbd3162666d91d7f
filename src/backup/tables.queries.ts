import { type RawBuilder, sql } from 'kysely'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import type { Connection } from '../db/connection.ts'
import type { Db } from '../db/pool.ts'
import type { DB } from '../db/tables.generated.ts'
import type { Tx } from '../db/transaction.ts'

/**
 * Tables that are not backed up, and why. All other tables of the schema are backed up. Unlogged
 * tables must be listed here, because a replica cannot read them and a server crash empties them.
 */
export const EXCLUDED_TABLES: Partial<Record<keyof DB, string>> = {
  migrations: 'The manifest names the applied migrations; a restore applies and records them.',
  rate_windows: 'Request counts that expire within minutes.',
  factor_setups: 'Second factors being set up, which expire within minutes.',
  pending_sign_ins: 'Sign-ins between their two steps, which expire within minutes.',
  followed_accounts: 'Accounts whose statistics are open, renewed every few seconds.',
  link_guesses: 'Counts of wrong link passwords that expire by themselves.',
  changes: 'Changes that link stores still have to apply; a restore makes the stores start over.',
  change_feed: 'The position up to which changes are deleted, as transaction ids of this database.',
  import_files: 'Uploads of unfinished imports, hundreds of megabytes each.',
  import_keys: 'API keys of unfinished imports, sealed with a key that is only in DATA_DIR.',
}

export type StoredTable = {
  name: string
  columns: string[]
  /** The identity column, if any. */
  identity: string | null
  /** Whether the table has triggers. */
  triggers: boolean
}

/**
 * Returns the tables to back up, which are all tables of the schema except excluded ones and those
 * of extensions. Includes all columns except generated ones.
 */
export async function listTables(db: Db): Promise<StoredTable[]> {
  const { rows } = await sql<StoredTable>`
     select c.relname as name,
       exists (select from pg_trigger where tgrelid = c.oid and not tgisinternal) as triggers,
       array(select attname::text from pg_attribute where attrelid = c.oid and attnum > 0
             and not attisdropped and attgenerated = '' order by attnum) as columns,
       (select attname from pg_attribute where attrelid = c.oid and attnum > 0
        and not attisdropped and attidentity <> '') as identity
     from pg_class c
     where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
       and not c.relispartition and c.relname <> all(${Object.keys(EXCLUDED_TABLES)})
       and not exists (select from pg_depend where objid = c.oid and deptype = 'e')
     order by c.relname`.execute(db)
  return rows
}

/** Returns the last value assigned by an identity column, or null if there is none. */
export async function findLastIdentity(
  db: Db,
  table: string,
  column: string | null,
): Promise<number | null> {
  const { rows } = await sql<{ last: number | null }>`
    select pg_sequence_last_value(pg_get_serial_sequence(quote_ident(${table}), ${column})) as last
  `.execute(db)
  return rows[0]?.last ?? null
}

/** Session settings that make values portable, independent of the server's settings. */
export const SETTINGS = {
  datestyle: 'ISO',
  intervalstyle: 'postgres',
  bytea_output: 'hex',
  extra_float_digits: 3,
  statement_timeout: 0,
  idle_in_transaction_session_timeout: 0,
}

/**
 * Prevents schema changes until the transaction ends, but not changes of rows. Must be called
 * before the first read, so that the snapshot is taken afterward.
 */
export async function lockTables(tx: Tx, tables: readonly StoredTable[]): Promise<void> {
  const names = ['migrations', ...tables.map(({ name }) => name)]
  await sql`lock table ${joinNames(names)} in access share mode`.execute(tx)
}

/** Locks the accounts exclusively. Fails after ten seconds. */
export async function lockAccounts(tx: Tx): Promise<void> {
  await sql`set local lock_timeout = '10s'`.execute(tx)
  await sql`lock table accounts in access exclusive mode`.execute(tx)
}

/**
 * Returns whether a process of the service is connected, and whether the database has a schema of
 * Brevis.
 */
export async function readDatabaseState(db: Db): Promise<{ service: boolean; schema: boolean }> {
  const { rows } = await sql<{ service: boolean; schema: boolean }>`
    select to_regclass('accounts') is not null as schema, exists (
      select from pg_stat_activity where datname = current_database()
      and application_name in ('brevis web', 'brevis importer', 'brevis follower', 'brevis listen')) as service
  `.execute(db)
  return rows[0] ?? { service: false, schema: false }
}

/** Executes a statement without parameters. */
export async function runStatement(tx: Tx, statement: string): Promise<void> {
  await sql.raw(statement).execute(tx)
}

/** Updates the planner's statistics. */
export async function analyze(db: Db): Promise<void> {
  await sql`analyze`.execute(db)
}

/**
 * Returns the rows of a table as text. Uses a query, because COPY accepts the names of partitioned
 * tables only since PostgreSQL 19.
 */
export function copyOut({ db, copy }: Connection, { name, columns }: StoredTable) {
  const text = sql`copy (select ${joinNames(columns)} from ${sql.id(name)}) to stdout`
  return copy(copyTo(text.compile(db).sql))
}

/** Loads rows in COPY's text format. */
export function copyIn({ copy }: Connection, target: string) {
  return copy(copyFrom(`copy ${target} from stdin`))
}

function joinNames(names: readonly string[]): RawBuilder<unknown> {
  return sql.join(names.map((name) => sql.id(name)))
}
