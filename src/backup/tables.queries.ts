import { type RawBuilder, sql } from 'kysely'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { listPartitions } from '../clicks/maintenance/partitions.queries.ts'
import type { Connection } from '../db/connection.ts'
import type { Db } from '../db/pool.ts'
import type { Tx } from '../db/transaction.ts'

export type StoredTable = {
  name: string
  columns: string[]
  identity: string | null
  partitioned: boolean
  triggers: boolean
  /** Names of the tables that its foreign keys point to. */
  references: string[]
}

/**
 * The tables whose rows are worth keeping, by name: every one of the schema but the record of
 * migrations, which travels apart, and unlogged tables, which a crash of the server empties too.
 */
export async function listTables(db: Db): Promise<StoredTable[]> {
  const { rows } = await sql<StoredTable>`
     select c.relname as name, c.relkind = 'p' as partitioned,
       exists (select from pg_trigger where tgrelid = c.oid and not tgisinternal) as triggers,
       array(select attname::text from pg_attribute where attrelid = c.oid and attnum > 0
             and not attisdropped and attgenerated = '' order by attnum) as columns,
       (select attname from pg_attribute where attrelid = c.oid and attnum > 0
        and not attisdropped and attidentity <> '') as identity,
       array(select distinct confrelid::regclass::text from pg_constraint
             where conrelid = c.oid and contype = 'f' and confrelid <> c.oid) as references
     from pg_class c
     where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
       and not c.relispartition and c.relpersistence = 'p' and c.relname <> 'migrations'
       and not exists (select from pg_depend where objid = c.oid and deptype = 'e')
     order by c.relname`.execute(db)
  return rows
}

/** The last number that an identity column has given out; null if there is none yet. */
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

/** Has an identity column go on after the last number that was given out before. */
export async function continueIdentity(
  tx: Tx,
  table: string,
  column: string,
  last: number,
): Promise<void> {
  await sql`
    select setval(pg_get_serial_sequence(quote_ident(${table}), ${column}), ${last}::bigint)
  `.execute(tx)
}

/**
 * The months that a table has a partition of, which are backed up one by one; none if it has no
 * partitions.
 */
export function listMonths(db: Db, table: StoredTable): Promise<number[]> {
  return table.partitioned ? listPartitions(db) : Promise.resolve([])
}

/** What the text of values depends on, and limits that a long copy must not meet. */
const SETTINGS = [
  `datestyle = 'ISO'`,
  `intervalstyle = 'postgres'`,
  `timezone = 'UTC'`,
  `bytea_output = 'hex'`,
  'extra_float_digits = 3',
  'statement_timeout = 0',
  'idle_in_transaction_session_timeout = 0',
]

/** Has values be written and read in one way everywhere, to the transaction's end. */
export async function fixFormats(tx: Tx): Promise<void> {
  for (const setting of SETTINGS) await sql`set local ${sql.raw(setting)}`.execute(tx)
}

/** Has a transaction that has asked nothing yet see what another one has exported. */
export async function adoptSnapshot(tx: Tx, snapshot: string): Promise<void> {
  await sql`set transaction snapshot ${sql.lit(snapshot)}`.execute(tx)
}

/**
 * Holds the tables still against changes of the schema, not of rows, to the transaction's end. To be
 * called before the transaction has looked at anything, so that its snapshot is from after that.
 */
export async function lockTables(tx: Tx, tables: readonly StoredTable[]): Promise<void> {
  const names = ['migrations', ...tables.map(({ name }) => name)]
  await sql`lock table ${listOf(names)} in access share mode`.execute(tx)
}

/** Keeps everybody else away from the accounts; gives up where that takes long. */
export async function lockAccounts(tx: Tx): Promise<void> {
  await sql`set local lock_timeout = '10s'`.execute(tx)
  await sql`lock table accounts in access exclusive mode`.execute(tx)
}

/** Whether a process of the service is connected, and whether there is a schema of this program. */
export async function findUse(db: Db): Promise<{ service: boolean; schema: boolean }> {
  const { rows } = await sql<{ service: boolean; schema: boolean }>`
    select to_regclass('accounts') is not null as schema, exists (
      select from pg_stat_activity where datname = current_database()
      and application_name in ('brevis web', 'brevis importer', 'brevis listen')) as service
  `.execute(db)
  return rows[0] ?? { service: false, schema: false }
}

export async function hasAccounts(db: Db): Promise<boolean> {
  const account = await db.selectFrom('accounts').select('id').limit(1).executeTakeFirst()
  return account !== undefined
}

/** The first migration of the database after `newest`. */
export async function findMigrationAfter(db: Db, newest: string): Promise<string | undefined> {
  const migration = await db
    .selectFrom('migrations')
    .select('name')
    .where('name', '>', newest)
    .orderBy('name')
    .limit(1)
    .executeTakeFirst()
  return migration?.name
}

/** Unlogged tables that refer to these go along: what they hold belongs to rows that are replaced. */
export async function emptyTables(tx: Tx, names: readonly string[]): Promise<void> {
  await sql`truncate ${listOf(names)} cascade`.execute(tx)
}

/**
 * Turns the triggers of tables off while their rows are loaded, and on again, within the
 * transaction.
 */
export async function switchTriggers(
  tx: Tx,
  tables: readonly StoredTable[],
  state: 'enable' | 'disable',
): Promise<void> {
  for (const { name } of tables.filter(({ triggers }) => triggers)) {
    await sql`alter table ${sql.id(name)} ${sql.raw(state)} trigger user`.execute(tx)
  }
}

/** Has the planner know what came in. */
export async function analyze(db: Db): Promise<void> {
  await sql`analyze`.execute(db)
}

/** The rows of a table as text; of a partitioned one too, which COPY takes by name from 19 on only. */
export function copyOut({ db, copy }: Connection, { name, columns }: StoredTable) {
  const text = sql`copy (select ${listOf(columns)} from ${sql.id(name)}) to stdout`
  return copy(copyTo(text.compile(db).sql))
}

/** Takes rows as such text into a table. */
export function copyIn({ db, copy }: Connection, table: string, columns: readonly string[]) {
  const text = sql`copy ${sql.id(table)} (${listOf(columns)}) from stdin`
  return copy(copyFrom(text.compile(db).sql))
}

function listOf(names: readonly string[]): RawBuilder<unknown> {
  return sql.join(names.map((name) => sql.id(name)))
}
