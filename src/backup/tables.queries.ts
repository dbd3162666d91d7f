import type pg from 'pg'
import { listPartitions } from '../clicks/maintenance/partitions.ts'

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
export async function listTables(client: pg.ClientBase): Promise<StoredTable[]> {
  const { rows } = await client.query<StoredTable>(
    `select c.relname as name, c.relkind = 'p' as partitioned,
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
     order by c.relname`,
  )
  return rows
}

/** The last number that an identity column has given out; null if there is none yet. */
export async function lastIdentity(
  client: pg.ClientBase,
  table: string,
  column: string | null,
): Promise<number | null> {
  const { rows } = await client.query<{ last: string | null }>(
    'select pg_sequence_last_value(pg_get_serial_sequence(quote_ident($1), $2)) as last',
    [table, column],
  )
  const last = rows[0]?.last
  return last == null ? null : Number(last)
}

/** Has an identity column go on after the last number that was given out before. */
export async function continueIdentity(
  client: pg.ClientBase,
  table: string,
  column: string,
  last: number,
): Promise<void> {
  await client.query('select setval(pg_get_serial_sequence(quote_ident($1), $2), $3)', [
    table,
    column,
    last,
  ])
}

export function listMonths(client: pg.ClientBase, table: StoredTable): Promise<number[]> {
  return table.partitioned ? listPartitions(client) : Promise.resolve([])
}

/** Identifiers in quotes, separated by commas. */
export function nameList(client: pg.ClientBase, names: readonly string[]): string {
  return names.map((name) => client.escapeIdentifier(name)).join(', ')
}
