import { rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Connection, withConnection } from '../db/connection.ts'
import { hasMigrationTable } from '../db/migrate.queries.ts'
import { createDraftPath } from '../files/replace.ts'
import { syncFolder } from '../files/write-once.ts'
import { archiveTables } from './archive-tables.ts'
import type { Manifest } from './manifest.ts'
import { listTables, lockTables, SETTINGS } from './tables.queries.ts'
import { writeArchive } from './write-archive.ts'

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
