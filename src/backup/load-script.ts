import { firstDay, partitionMonth } from '../clicks/import.ts'
import { CREATE_MIGRATION_TABLE } from '../db/migrate.queries.ts'
import type { Migration } from '../db/migration-files.ts'
import type { Manifest, TableEntry } from './manifest.ts'
import type { StoredTable } from './tables.queries.ts'

/** An SQL statement, or a table to load. */
export type LoadStep = string | TableEntry

/**
 * Returns the steps that load the tables of a backup into its schema. `stored` describes the tables
 * of the schema and their triggers.
 */
export function createLoadSteps(
  { partitions, tables }: Pick<Manifest, 'partitions' | 'tables'>,
  stored: readonly StoredTable[],
): LoadStep[] {
  // The backup includes the counters that triggers maintain.
  const triggers = (state: 'enable' | 'disable') =>
    stored
      .filter((table) => table.triggers)
      .map(({ name }) => `alter table "${name}" ${state} trigger user`)
  return [
    ...triggers('disable'),
    // Also empties excluded tables that reference these tables, because the rows that they
    // reference are replaced.
    `truncate ${stored.map(({ name }) => `"${name}"`).join(', ')} cascade`,
    ...partitions.map((name) => {
      const [from, to] = [0, 1].map((offset) => firstDay(partitionMonth(name) + offset))
      return `create table if not exists "${name}" partition of clicks for values from ('${from}') to ('${to}')`
    }),
    ...tables,
    ...triggers('enable'),
    // No trigger has recorded these changes, so link stores must be rebuilt.
    'update change_feed set pruned_before = pg_current_xact_id()',
    // Comes last, because a rollback does not undo it.
    ...tables.flatMap(({ name, identity, last }) =>
      last === null
        ? []
        : `select setval(pg_get_serial_sequence('"${name}"', '${identity}'), ${last})`,
    ),
  ]
}

/** Returns a table and its columns as the target of COPY. */
export function toCopyTarget({ name, columns }: Pick<TableEntry, 'name' | 'columns'>): string {
  return `"${name}" (${columns.map((column) => `"${column}"`).join(', ')})`
}

/** Renders the steps as a script for psql, which reads the rows from files in the same folder. */
export function renderLoadScript(steps: readonly LoadStep[]): Buffer {
  const lines = steps.map((step) =>
    typeof step === 'string'
      ? `${step};`
      : `\\copy ${toCopyTarget(step)} from program 'cat ${step.name}.*.copy'`,
  )
  return Buffer.from(`${['\\encoding UTF8', ...lines].join('\n')}\n`)
}

/** Renders a script for psql that applies these migrations and records them. */
export function renderSchemaScript(migrations: readonly Migration[]): Buffer {
  const parts = migrations.flatMap(({ name, text, checksum }) => [
    text,
    `insert into migrations (name, checksum) values ('${name}', '${checksum}');`,
  ])
  return Buffer.from(`${[`${CREATE_MIGRATION_TABLE};`, ...parts].join('\n')}\n`)
}
