import { acquireConnection, type HeldConnection } from '../../db/connection.ts'
import type { Database, Db } from '../../db/pool.ts'
import type { KeptSegments } from '../journal/kept-segments.ts'
import type { JournalFolder, SegmentState } from '../journal/segments.ts'
import { type BusyVisitors, createBusyVisitors } from './busy-visitors.ts'
import { claimFolder, deletePositions, loadPositions, releaseFolder } from './positions.queries.ts'

/** A claimed journal folder, with the read and imported positions of each file in bytes. */
export type FolderSession = {
  /** The connection that holds the claim. The claim ends when it closes. */
  connection: HeldConnection
  read: Map<string, number>
  imported: Map<string, number>
  /** The visitors of the clicks that were read. */
  busy: BusyVisitors
}

/**
 * Claims a journal folder and loads its positions. Returns undefined if another importer has
 * claimed it. Returns kept segments to the journal that the database lacks, which happens after a
 * backup was restored. Deletes positions of files that no longer exist. Rejects if `authorize` does.
 */
export async function openFolderSession(
  database: Pick<Database, 'pool'>,
  { folder, kept }: { folder: JournalFolder; kept: KeptSegments },
  authorize: (db: Db) => Promise<void> = async () => {},
): Promise<FolderSession | undefined> {
  const connection = await acquireConnection(database)
  try {
    await authorize(connection.db)
    if (!(await claimFolder(connection.db, folder.id))) {
      connection.release()
      return undefined
    }
    const imported = await loadPositions(connection.db, folder.id)
    kept.reopen(({ file, size }) => size > (imported.get(file) ?? 0))
    const present = new Set([...folder.list(), ...kept.list()].map(({ file }) => file))
    const vanished = [...imported.keys()].filter((file) => !present.has(file))
    await deletePositions(connection.db, folder.id, vanished)
    return { connection, imported, read: new Map(imported), busy: createBusyVisitors() }
  } catch (error) {
    connection.release(true)
    throw error
  }
}

/** Releases the folder. Never rejects, even if the database is unavailable. */
export async function closeFolderSession(
  { connection }: FolderSession,
  folder: JournalFolder,
): Promise<void> {
  await releaseFolder(connection.db, folder.id).catch(() => {})
  connection.release(true)
}

/**
 * Returns whether another importer has completed these files: it has imported everything that they
 * contained when they were listed, and deleted the files of writers that have ended.
 */
export async function areCompleted(
  db: Db,
  folder: JournalFolder,
  files: readonly SegmentState[],
): Promise<boolean> {
  const imported = await loadPositions(db, folder.id)
  // The file is deleted before its position.
  const present = new Map(folder.list().map((segment) => [segment.file, segment]))
  return files.every(({ file, size }) => {
    const now = present.get(file)
    // A failed write may have been rolled back, which makes the file smaller.
    return !now || (!now.isFinal && (imported.get(file) ?? 0) >= Math.min(size, now.size))
  })
}
