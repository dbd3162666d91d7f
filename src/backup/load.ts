import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { isDeepStrictEqual } from 'node:util'
import { addPartitions, partitionMonth } from '../clicks/import.ts'
import type { Connection } from '../db/connection.ts'
import type { Tx } from '../db/transaction.ts'
import { createLoadSteps, toCopyTarget } from './load-script.ts'
import type { Manifest, TableEntry } from './manifest.ts'
import { type ArchivedFile, checkArchive } from './read-archive.ts'
import { copyIn, listTables, runStatement, type StoredTable } from './tables.queries.ts'

type Files = AsyncGenerator<ArchivedFile, Manifest>

/**
 * Replaces the rows of every table with those of a backup, in the caller's transaction. Foreign
 * keys are checked.
 *
 * @throws Error if the tables or columns of the backup differ from the schema, if it violates the
 * schema's constraints, or if it has changed since its manifest was read
 */
export async function loadTables(
  connection: Connection<Tx>,
  manifest: Manifest,
  files: Files,
): Promise<void> {
  const { db: tx } = connection
  const stored = await listTables(tx)
  requireSameTables(manifest.tables, stored)
  await addPartitions(tx, manifest.partitions.map(partitionMonth))
  for (const step of createLoadSteps(manifest, stored)) {
    if (typeof step === 'string') await runStatement(tx, step)
    else await loadTable(connection, step, files)
  }
  if (!isDeepStrictEqual(await checkArchive(files), manifest)) throw createChangedError()
}

function requireSameTables(tables: readonly TableEntry[], stored: readonly StoredTable[]): void {
  const found = tables.map(describeTable).sort()
  const expected = stored.map(describeTable).sort()
  const difference = found.find((description, index) => description !== expected[index])
  if (difference || found.length !== expected.length) {
    throw new Error(
      `The backup has other tables than the schema${difference ? `: ${difference}` : ''}.`,
    )
  }
}

function describeTable({ name, columns, identity }: TableEntry | StoredTable): string {
  return `${name} (${columns.join(', ')})${identity ? ` numbered by ${identity}` : ''}`
}

async function loadTable(
  connection: Connection<Tx>,
  table: TableEntry,
  files: Files,
): Promise<void> {
  const copy = copyIn(connection, toCopyTarget(table))
  await pipeline(Readable.from(readTableData(table, files)), copy)
  if (copy.rowCount !== table.rows) {
    throw new Error(`${copy.rowCount} rows of ${table.name} were loaded instead of ${table.rows}.`)
  }
}

async function* readTableData(table: TableEntry, files: Files): AsyncGenerator<Buffer> {
  for (const { name } of table.files) {
    const { done, value: file } = await files.next()
    if (done || file.name !== name) throw createChangedError()
    yield* file.data
  }
}

function createChangedError(): Error {
  return new Error('The backup changed while it was read.')
}
