import { hash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress } from 'node:zlib'
import { pack } from 'tar-stream'
import { listPartitions, partitionName } from '../clicks/import.ts'
import { type Connection, withConnection } from '../db/connection.ts'
import { getInstallationId } from '../db/installation-id.ts'
import { findToken } from '../db/instance.ts'
import { hasMigrationTable, listApplied } from '../db/migrate.queries.ts'
import { listPendingAfter, type Migration, readMigrations } from '../db/migration-files.ts'
import { createDraftPath, syncFolder } from '../files/replace.ts'
import { version } from '../version.ts'
import { createLoadSteps, renderLoadScript, renderSchemaScript } from './load-script.ts'
import {
  type FileEntry,
  FORMAT,
  FORMAT_VERSION,
  MANIFEST,
  type Manifest,
  type TableEntry,
} from './manifest.ts'
import {
  copyOut,
  findLastIdentity,
  listTables,
  lockTables,
  SETTINGS,
  type StoredTable,
} from './tables.queries.ts'

type BackUpOptions = { databaseUrl: string; file: string; now: Date }

/**
 * Writes a consistent copy of the entire database to a file while the service is running. The file
 * gets its name once it is complete and on disk, and replaces an older one. Only its owner can read
 * it, because it contains password hashes and the key with which visitors are hashed.
 *
 * @throws Error if the database does not have this version's schema, or if the file cannot be
 * written
 */
export async function backUp({ databaseUrl, file, now }: BackUpOptions): Promise<Manifest> {
  const draft = await createDraftPath(file, { suffix: '.partial' })
  try {
    const source = { url: databaseUrl, name: 'backup', settings: SETTINGS }
    const manifest = await withConnection(source, (connection) =>
      inSnapshot(connection, (snapshot) =>
        writeArchive(draft, now, (add) => archiveTables(snapshot, now, add)),
      ),
    )
    await rename(draft, file)
    syncFolder(dirname(file))
    return manifest
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

/** Runs `read` in a transaction with one snapshot and a lock on the schema. */
async function inSnapshot<Result>(
  { db, copy }: Connection,
  read: (snapshot: Connection) => Promise<Result>,
): Promise<Result> {
  if (!(await hasMigrationTable(db))) {
    throw new Error('There is nothing to back up: the database has no schema.')
  }
  const tables = await listTables(db)
  // This transaction is never rolled back. After an incomplete COPY, the caller must close the
  // connection.
  const tx = await db
    .startTransaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute()
  await lockTables(tx, tables)
  const result = await read({ db: tx, copy })
  await tx.commit().execute()
  return result
}

const ZSTD = {
  params: { [constants.ZSTD_c_checksumFlag]: 1 },
  // Compresses one chunk at a time. If a stream ends while a chunk is being compressed, Node.js
  // appends an empty frame, and a reader would not notice if that frame were missing.
  writableHighWaterMark: 1,
}

/** Adds a file to an archive. Resolves when the next file can be added. */
export type AddFile = (name: string, content: Buffer) => Promise<FileEntry>

/**
 * Writes a tar file that is compressed with Zstandard and that only its owner can read, and syncs
 * it to disk. `fill` adds the files one after the other.
 */
async function writeArchive<Result>(
  path: string,
  mtime: Date,
  fill: (add: AddFile) => Promise<Result>,
): Promise<Result> {
  const tar = pack()
  const written = pipeline(
    async function* () {
      yield* tar as AsyncIterable<Buffer>
    },
    createZstdCompress(ZSTD),
    createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }),
  )
  const filled = fill(async (name, content) => {
    await new Promise<void>((resolve, reject) => {
      const done = (error?: Error | null) => (error ? reject(error) : resolve())
      tar.entry({ name, mode: 0o600, mtime }, content, done).on('error', reject)
    })
    return { name, bytes: content.length, sha256: hash('sha256', content) }
  })
  filled.then(
    () => tar.finalize(),
    (error) => tar.destroy(error),
  )
  await Promise.allSettled([written, filled])
  // Awaited first, because on a full disk both fail, and only this error has the reason.
  await written
  return filled
}

/**
 * The size in bytes of a part of a table. A part must fit in memory, because a tar entry starts
 * with its size.
 */
const PART_BYTES = 8 << 20
/** The maximum number of parts, because their numbers have five digits. This allows 800 GB. */
const MAX_PARTS = 99_999
const NEWLINE = 10

/**
 * Adds the database to an archive, as the transaction sees it: the rows of each table, the SQL that
 * loads them without Brevis, and the manifest.
 *
 * @throws Error if another version of Brevis or another program has changed the schema, or if a
 * table is too large
 */
async function archiveTables(
  connection: Connection,
  createdAt: Date,
  add: AddFile,
): Promise<Manifest> {
  const { db } = connection
  const applied = await listApplied(db)
  await listPendingAfter(applied)
  const migrations = (await readMigrations()).slice(0, applied.length)
  const stored = sortByCreation(await listTables(db), migrations)
  const token = await findToken(db)
  const partitions = (await listPartitions(db)).map(partitionName)
  const tables: TableEntry[] = []
  for (const table of stored) tables.push(await archiveTable(connection, table, add))
  const scripts = [
    await add('schema.sql', renderSchemaScript(migrations)),
    await add('load.sql', renderLoadScript(createLoadSteps({ partitions, tables }, stored))),
  ]
  const manifest: Manifest = {
    format: FORMAT,
    formatVersion: FORMAT_VERSION,
    brevisVersion: version,
    ...(token !== undefined && { installation: getInstallationId(token) }),
    createdAt: createdAt.toISOString(),
    schemaVersion: applied.at(-1)?.name ?? '',
    migrations: applied,
    partitions,
    tables,
    scripts,
  }
  await add(MANIFEST, Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`))
  return manifest
}

/**
 * Returns the tables in the order in which the migrations create them, so that referenced tables
 * come first. Throws if the migrations did not create a table, because it would not exist when the
 * backup is restored.
 */
function sortByCreation(
  stored: readonly StoredTable[],
  migrations: readonly Migration[],
): StoredTable[] {
  const created = migrations.flatMap(({ text }) =>
    Array.from(text.matchAll(/^create (?:unlogged )?table (\w+)/gm), ([, name]) => name),
  )
  const unknownTable = stored.find(({ name }) => !created.includes(name))
  if (unknownTable) {
    const advice = 'Move it to another schema.'
    throw new Error(`The table ${unknownTable.name} does not belong to Brevis. ${advice}`)
  }
  return stored.toSorted((a, b) => created.indexOf(a.name) - created.indexOf(b.name))
}

async function archiveTable(
  connection: Connection,
  table: StoredTable,
  add: AddFile,
): Promise<TableEntry> {
  const { name, columns, identity } = table
  const copy = copyOut(connection, table)
  const files: TableEntry['files'] = []
  for await (const part of splitRows(copy)) {
    if (files.length === MAX_PARTS) throw new Error(`The table ${name} is too large.`)
    const number = String(files.length + 1).padStart(5, '0')
    files.push(await add(`${name}.${number}.copy`, part))
  }
  // Reads this after the copy, because the driver knows the number of rows only after the response
  // to the next statement.
  const last = await findLastIdentity(connection.db, name, identity)
  return { name, columns, identity, last, rows: copy.rowCount, files }
}

/** Yields rows in parts that end with a complete row. An empty table yields one empty part. */
async function* splitRows(rows: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let chunks: Buffer[] = []
  let size = 0
  for await (const chunk of rows) {
    // COPY escapes newlines within values, so every newline ends a row.
    const end = chunk.lastIndexOf(NEWLINE) + 1
    if (end === 0 || size + end < PART_BYTES) {
      chunks.push(chunk)
      size += chunk.length
      continue
    }
    yield Buffer.concat([...chunks, chunk.subarray(0, end)])
    chunks = [chunk.subarray(end)]
    size = chunk.length - end
  }
  yield Buffer.concat(chunks)
}
