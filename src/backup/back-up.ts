import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress } from 'node:zlib'
import { type Connection, withConnection } from '../db/connection.ts'
import { hasMigrationTable } from '../db/migrate.queries.ts'
import { inTransaction, SNAPSHOT } from '../db/transaction.ts'
import { syncFolder } from '../files/sync-folder.ts'
import { type Contents, dump } from './dump.ts'
import { adoptSnapshot, fixFormats, listTables, lockTables } from './tables.queries.ts'

type BackUpOptions = {
  databaseUrl: string
  file: string
  now: Date
  /** The name of an exported snapshot to back up, in place of this moment. */
  snapshot?: string | undefined
}

/**
 * Writes everything in the database to a file, as it is at one moment, while the service goes on.
 * The file appears under its name when it is complete and on the disk, and replaces an older one.
 * Only its owner can read it: it holds password hashes and the key of the visitors' hashes.
 *
 * @throws Error if the database has no schema of this program, or the file cannot be written.
 */
export async function backUp({
  databaseUrl,
  file,
  now,
  snapshot,
}: BackUpOptions): Promise<Contents> {
  const draft = `${file}.${randomBytes(4).toString('hex')}.partial`
  try {
    const contents = await withConnection({ url: databaseUrl, name: 'backup' }, (connection) =>
      dumpSnapshot(connection, snapshot, (within) => writeTo(draft, dump(within, now))),
    )
    await rename(draft, file)
    syncFolder(dirname(file))
    return contents
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

/** Runs `write` in a transaction that sees one moment and whose tables nobody changes. */
async function dumpSnapshot(
  { db, copy }: Connection,
  snapshot: string | undefined,
  write: (within: Connection) => Promise<Contents>,
): Promise<Contents> {
  if (!(await hasMigrationTable(db))) {
    throw new Error('There is nothing to back up: the database has no schema.')
  }
  const tables = await listTables(db)
  return inTransaction(
    db,
    async (tx) => {
      await fixFormats(tx)
      if (snapshot) await adoptSnapshot(tx, snapshot)
      await lockTables(tx, tables)
      const now = await listTables(tx)
      if (now.length !== tables.length) throw new Error('The schema changed meanwhile. Try again.')
      return write({ db: tx, copy })
    },
    SNAPSHOT,
  )
}

async function writeTo(
  file: string,
  records: AsyncGenerator<Buffer, Contents, undefined>,
): Promise<Contents> {
  let contents: Contents = { tables: 0, rows: 0 }
  await pipeline(
    async function* () {
      contents = yield* records
    },
    createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } }),
    createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true }),
  )
  return contents
}
