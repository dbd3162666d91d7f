import { type RawBuilder, sql } from 'kysely'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import type { Connection } from '../db/connection.ts'
import type { Db } from '../db/pool.ts'
import type { Tx } from '../db/transaction.ts'
import { EXCLUDED_TABLES } from './excluded-tables.ts'

export type StoredTable = {
  name: string
  columns: string[]
  identity: string | null
  triggers: boolean
}

/**
 * The tables that belong into a backup, by name: all of the schema but the excluded ones and those
 * of extensions, with all columns but the generated ones.
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

/** The last number that an identity column has assigned; null if there is none. */
export async function lastIdentity(
  db: Db,
  table: string,
  column: string | null,
): Promise<number | null> {
  const { rows } = await sql<{ last: number | null }>`
    select pg_sequence_last_value(pg_get_serial_sequence(quote_ident(${table}), ${column})) as last
  `.execute(db)
  return rows[0]?.last ?? null
}

/** Settings of a session in which values are read and written alike everywhere, for any time. */
export const SETTINGS = {
  datestyle: 'ISO',
  intervalstyle: 'postgres',
  bytea_output: 'hex',
  extra_float_digits: 3,
  statement_timeout: 0,
  idle_in_transaction_session_timeout: 0,
}

/**
 * Keeps the schema of the tables, not their rows, from changing until the transaction ends. Call it
 * before the transaction has read anything, so that its snapshot is taken afterwards.
 */
export async function lockTables(tx: Tx, tables: readonly StoredTable[]): Promise<void> {
  const names = ['migrations', ...tables.map(({ name }) => name)]
  await sql`lock table ${listOf(names)} in access share mode`.execute(tx)
}

/** Keeps everybody else away from the accounts; gives up after ten seconds. */
export async function lockAccounts(tx: Tx): Promise<void> {
  await sql`set local lock_timeout = '10s'`.execute(tx)
  await sql`lock table accounts in access exclusive mode`.execute(tx)
}

/** Whether a process of the service is connected, and whether there is a schema of Brevis. */
export async function findUse(db: Db): Promise<{ service: boolean; schema: boolean }> {
  const { rows } = await sql<{ service: boolean; schema: boolean }>`
    select to_regclass('accounts') is not null as schema, exists (
      select from pg_stat_activity where datname = current_database()
      and application_name in ('brevis web', 'brevis importer', 'brevis follower', 'brevis listen')) as service
  `.execute(db)
  return rows[0] ?? { service: false, schema: false }
}

export async function hasAccounts(db: Db): Promise<boolean> {
  const account = await db.selectFrom('accounts').select('id').limit(1).executeTakeFirst()
  return account !== undefined
}

/** Runs a statement that was put together elsewhere. */
export async function runText(tx: Tx, statement: string): Promise<void> {
  await sql.raw(statement).execute(tx)
}

/** Updates the planner's statistics. */
export async function analyze(db: Db): Promise<void> {
  await sql`analyze`.execute(db)
}

/** The rows of a table as text. COPY accepts a partitioned table by name only from PostgreSQL 19. */
export function copyOut({ db, copy }: Connection, { name, columns }: StoredTable) {
  const text = sql`copy (select ${listOf(columns)} from ${sql.id(name)}) to stdout`
  return copy(copyTo(text.compile(db).sql))
}

/** Loads rows as such text. */
export function copyIn({ copy }: Connection, target: string) {
  return copy(copyFrom(`copy ${target} from stdin`))
}

function listOf(names: readonly string[]): RawBuilder<unknown> {
  return sql.join(names.map((name) => sql.id(name)))
}
