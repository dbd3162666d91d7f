import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { addPartitions } from '../clicks/maintenance/partitions.ts'
import type { Connection } from '../db/connection.ts'
import type { Tx } from '../db/transaction.ts'
import type { BackupPart } from './read-backup.ts'
import type { RowsRecord, TableRecord } from './records.ts'
import {
  continueIdentity,
  copyIn,
  emptyTables,
  listTables,
  type StoredTable,
  switchTriggers,
} from './tables.queries.ts'

type Parts = AsyncIterator<BackupPart>

/**
 * Replaces the rows of every table by those of a backup, within the caller's transaction. Triggers
 * of the schema stay silent meanwhile: what they count comes with the backup. Foreign keys are
 * checked as ever.
 *
 * @throws Error if the backup has other tables or columns than the schema, or does not fit it.
 */
export async function loadTables(connection: Connection<Tx>, parts: Parts): Promise<void> {
  const { db: tx } = connection
  const tables = await listTables(tx)
  const missing = new Set(tables.map(({ name }) => name))
  await switchTriggers(tx, tables, 'disable')
  await emptyTables(tx, [...missing])
  const identities: { table: string; column: string; last: number }[] = []
  for (let next = await parts.next(); !next.done; next = await parts.next()) {
    const part = next.value
    if (!('table' in part)) continue
    const stored = tables.find(({ name }) => name === part.table)
    if (!stored) throw new Error(`The schema has no table ${part.table}.`)
    if (!missing.delete(part.table)) throw new Error(`The backup has ${part.table} twice.`)
    const { last } = await loadTable(connection, { table: part, stored, parts })
    if (part.identity && last !== null) {
      identities.push({ table: part.table, column: part.identity, last })
    }
  }
  if (missing.size > 0) {
    throw new Error(`The backup lacks the table ${[...missing].join(', ')}.`)
  }
  await switchTriggers(tx, tables, 'enable')
  // Last, because a rollback does not take this back.
  for (const { table, column, last } of identities) {
    await continueIdentity(tx, table, column, last)
  }
}

async function loadTable(
  connection: Connection<Tx>,
  { table, stored, parts }: { table: TableRecord; stored: StoredTable; parts: Parts },
): Promise<RowsRecord> {
  const unknown = table.columns.find((column) => !stored.columns.includes(column))
  if (unknown) throw new Error(`The table ${table.table} has no column ${unknown}.`)
  if (table.identity !== stored.identity) {
    throw new Error(`The table ${table.table} does not number its rows by ${table.identity}.`)
  }
  if (table.months.length > 0 && !stored.partitioned) {
    throw new Error(`The table ${table.table} has no months.`)
  }
  if (table.months.length > 0) await addPartitions(connection.db, table.months)
  const copy = copyIn(connection, table.table, table.columns)
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
