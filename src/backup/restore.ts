import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { isDeepStrictEqual } from 'node:util'
import { constants, createZstdDecompress } from 'node:zlib'
import { type Extract, extract } from 'tar-stream'
import { addPartitions, partitionMonth } from '../clicks/import.ts'
import { type Connection, withConnection } from '../db/connection.ts'
import { isRowError } from '../db/errors.ts'
import { JOB_MIGRATION } from '../db/job-schema.ts'
import { listApplied } from '../db/migrate.queries.ts'
import { migrate } from '../db/migrate.ts'
import { listPendingAfter } from '../db/migration-files.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import { hasAccounts } from '../identity/account.queries.ts'
import { createLoadSteps, toCopyTarget } from './load-script.ts'
import {
  type FileEntry,
  listFiles,
  MANIFEST,
  type Manifest,
  parseManifest,
  type TableEntry,
} from './manifest.ts'
import {
  analyze,
  copyIn,
  listTables,
  lockAccounts,
  readDatabaseState,
  runStatement,
  SETTINGS,
  type StoredTable,
} from './tables.queries.ts'

/** A file in an archive. Its data can be read until the next file is requested. */
type ArchivedFile = { name: string; data: AsyncIterable<Buffer> }

/**
 * The maximum window size. Backups have a window of 2 MiB, but a forged file could request a
 * thousand times as much memory.
 */
const MAX_WINDOW_LOG = 23

/** Limits how much memory a restore uses if the file is forged. */
const MAX_MANIFEST_BYTES = 64 << 20

const MAX_FILES = 200_000

type Files = AsyncGenerator<ArchivedFile, Manifest>

type RestoreOptions = { databaseUrl: string; file: string }

export type Restored = {
  manifest: Manifest
  /**
   * Migrations of this program that are newer than the backup and were applied after it was loaded.
   */
  migrated: string[]
}

/**
 * Restores a backup into a database without accounts. Creates the backup's schema, loads all rows
 * in one transaction, and then applies newer migrations. Checks the entire file before changing
 * anything.
 *
 * @throws Error if the file is not a complete backup or is newer than this program, or if the
 * database has accounts, is in use, or has a newer schema than the backup
 */
export async function restore({ databaseUrl, file }: RestoreOptions): Promise<Restored> {
  const manifest = await checkArchive(readArchive(file))
  await listPendingAfter(manifest.migrations, 'backup')
  const newest = manifest.migrations.at(-1)?.name
  const target = { url: databaseUrl, name: 'restore', settings: SETTINGS }
  await withConnection(target, ({ db }) => checkTarget(db, newest))
  await migrate(databaseUrl, { upTo: newest })
  await withConnection(target, async ({ db, copy }) => {
    await inTransaction(db, async (tx) => {
      await lockAccounts(tx)
      await checkTarget(tx, newest)
      await loadTables({ db: tx, copy }, manifest, readArchive(file)).catch(explainRowError)
    })
    await analyze(db)
  })
  // Backups do not include the job queue.
  const migrated = (await migrate(databaseUrl)).filter((name) => name !== JOB_MIGRATION)
  return { manifest, migrated }
}

/**
 * Explains errors of rows. In a request, they mean that an id is unknown. Here they mean that the
 * file is invalid.
 */
function explainRowError(error: unknown): never {
  if (!(error instanceof Error) || !isRowError(error)) throw error
  const message = `The rows of the backup break the rules of the schema: ${error.message}.`
  throw new Error(message, { cause: error })
}

/** Rejects a database that is in use, or that has content which would be destroyed. */
async function checkTarget(db: Db, newest = ''): Promise<void> {
  const { service, schema } = await readDatabaseState(db)
  if (service) throw new Error('The service is running. Stop it before a restore.')
  if (!schema) return
  if (await hasAccounts(db)) {
    throw new Error('The database has accounts. Restore into an empty one.')
  }
  const newerMigration = (await listApplied(db)).find(({ name }) => name > newest)
  if (newerMigration) {
    throw new Error(
      `The database has migration ${newerMigration.name}, which the backup lacks. Restore into a new one.`,
    )
  }
}

/**
 * Replaces the rows of every table with those of a backup, in the caller's transaction. Foreign
 * keys are checked.
 *
 * @throws Error if the tables or columns of the backup differ from the schema, if it violates the
 * schema's constraints, or if it has changed since its manifest was read
 */
async function loadTables(
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

/**
 * Yields the files of a backup and then returns its manifest. Uses a limited amount of memory. Only
 * when it returns are all files known to be complete and unchanged.
 *
 * @throws Error if the file is not a complete backup
 */
export async function* readArchive(path: string): AsyncGenerator<ArchivedFile, Manifest> {
  const tar = extract()
  const params = { [constants.ZSTD_d_windowLogMax]: MAX_WINDOW_LOG }
  const source = createReadStream(path)
  const unpacked = createZstdDecompress({ params })
  const reading = pipeline(source, unpacked, tar)
  // The iteration below throws the same error.
  reading.catch(() => {})
  try {
    const manifest = yield* readFiles(tar)
    await reading
    if (unpacked.bytesWritten < source.bytesRead) throw new Error('something follows its end')
    return manifest
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    if (['ENOENT', 'EACCES', 'EISDIR', 'EIO'].includes(code)) throw error
    const reason = code === 'ZSTD_error_prefix_unknown' ? 'it is not a Zstandard file' : message
    throw new Error(`${path} is not a complete backup: ${reason}.`, { cause: error })
  } finally {
    tar.destroy()
  }
}

/** Reads the rest of an archive, which verifies it, and returns its manifest. */
export async function checkArchive(files: AsyncGenerator<unknown, Manifest>): Promise<Manifest> {
  for (;;) {
    const { done, value } = await files.next()
    if (done) return value
  }
}

async function* readFiles(tar: Extract): AsyncGenerator<ArchivedFile, Manifest> {
  const filesRead: FileEntry[] = []
  let manifest: Manifest | undefined
  for await (const entry of tar) {
    const { name, type, size = 0 } = entry.header
    if (manifest) throw new Error(`something follows its ${MANIFEST}`)
    const isManifest = name === MANIFEST
    const isTooLarge = isManifest ? size > MAX_MANIFEST_BYTES : filesRead.length === MAX_FILES
    if (type !== 'file' || name.length > 100 || isTooLarge) {
      throw new Error('it contains something other than the files of a backup')
    }
    if (isManifest) {
      manifest = parseManifest(await text(entry))
      continue
    }
    const file = { name, bytes: 0, sha256: '' }
    const data = hashWhileReading(entry as AsyncIterable<Buffer>, file)
    yield { name, data }
    // Skips the data that the caller has not read.
    for await (const _ of data);
    filesRead.push(file)
  }
  if (!manifest) throw new Error(`it has no ${MANIFEST}`)
  const listed = listFiles(manifest)
  const damaged = listed.find((file, index) => !isDeepStrictEqual(file, filesRead[index]))
  if (damaged) throw new Error(`${damaged.name} is missing or damaged`)
  if (filesRead.length > listed.length) throw new Error(`it has files that its ${MANIFEST} lacks`)
  return manifest
}

async function* hashWhileReading(
  data: AsyncIterable<Buffer>,
  file: FileEntry,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  for await (const chunk of data) {
    hash.update(chunk)
    file.bytes += chunk.length
    yield chunk
  }
  file.sha256 = hash.digest('hex')
}
