import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { addPartitions } from '../clicks/maintenance/partitions.ts'
import type { BackupPart } from './read-backup.ts'
import type { RowsRecord, TableRecord } from './records.ts'
import { continueIdentity, listTables, nameList, type StoredTable } from './tables.queries.ts'

type Parts = AsyncIterator<BackupPart>

/**
 * Replaces the rows of every table by those of a backup, within the caller's transaction. Triggers
 * of the schema stay silent meanwhile: what they count comes with the backup. Foreign keys are
 * checked as ever.
 *
 * @throws Error if the backup has other tables or columns than the schema, or does not fit it.
 */
export async function loadTables(client: pg.ClientBase, parts: Parts): Promise<void> {
  const tables = await listTables(client)
  const missing = new Map(tables.map((table) => [table.name, table]))
  await client.query(`truncate ${nameList(client, [...missing.keys()])}`)
  await switchTriggers(client, tables, 'disable')
  const identities: { table: string; column: string; last: number }[] = []
  for (let next = await parts.next(); !next.done; next = await parts.next()) {
    const part = next.value
    if (!('table' in part)) continue
    const stored = missing.get(part.table)
    if (!stored || !missing.delete(part.table)) {
      throw new Error(`The schema has no table ${part.table}.`)
    }
    const { last } = await loadTable(client, { table: part, stored, parts })
    if (part.identity && last !== null) {
      identities.push({ table: part.table, column: part.identity, last })
    }
  }
  if (missing.size > 0) {
    throw new Error(`The backup lacks the table ${[...missing.keys()].join(', ')}.`)
  }
  await switchTriggers(client, tables, 'enable')
  // Last, because a rollback does not take this back.
  for (const { table, column, last } of identities) {
    await continueIdentity(client, table, column, last)
  }
}

async function loadTable(
  client: pg.ClientBase,
  { table, stored, parts }: { table: TableRecord; stored: StoredTable; parts: Parts },
): Promise<RowsRecord> {
  const unknown = table.columns.find((column) => !stored.columns.includes(column))
  if (unknown) throw new Error(`The table ${table.table} has no column ${unknown}.`)
  if (table.months.length > 0) await addPartitions(client, table.months)
  const columns = nameList(client, table.columns)
  const copy = client.query(
    copyFrom(`copy ${client.escapeIdentifier(table.table)} (${columns}) from stdin`),
  )
  let end: RowsRecord = { rows: 0, last: null }
  const data = async function* () {
    end = yield* dataOf(parts)
  }
  await pipeline(Readable.from(data()), copy)
  if (copy.rowCount !== end.rows) {
    throw new Error(`${copy.rowCount} rows of ${table.table} came in instead of ${end.rows}.`)
  }
  return end
}

/** The data of the table that was named last; gives its end. */
async function* dataOf(parts: Parts): AsyncGenerator<Buffer, RowsRecord, undefined> {
  for (;;) {
    const { value: part, done } = await parts.next()
    if (!done && 'data' in part) yield part.data
    else if (!done && 'rows' in part) return part
    else throw new Error('A table of the backup has no end.')
  }
}

async function switchTriggers(
  client: pg.ClientBase,
  tables: readonly StoredTable[],
  state: 'enable' | 'disable',
): Promise<void> {
  for (const { name } of tables.filter(({ triggers }) => triggers)) {
    await client.query(`alter table ${client.escapeIdentifier(name)} ${state} trigger user`)
  }
}
