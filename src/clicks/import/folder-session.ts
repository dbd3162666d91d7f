import { type HeldConnection, holdConnection } from '../../db/connection.ts'
import type { Database, Db } from '../../db/pool.ts'
import type { JournalFolder, SegmentState } from '../journal/segments.ts'
import { claimFolder, deletePositions, loadPositions, releaseFolder } from './positions.queries.ts'

/** A claimed folder: how far each of its files has been read, and how far imported, in bytes. */
export type FolderSession = {
  /** Holds the claim, which ends with it. */
  connection: HeldConnection
  read: Map<string, number>
  imported: Map<string, number>
}

/**
 * Claims a journal's folder and loads its positions; gives undefined while another importer has it.
 * Positions of files that are gone are deleted.
 */
export async function openFolderSession(
  database: Pick<Database, 'pool'>,
  folder: JournalFolder,
): Promise<FolderSession | undefined> {
  const connection = await holdConnection(database)
  try {
    if (!(await claimFolder(connection.db, folder.id))) {
      connection.release()
      return undefined
    }
    const imported = await loadPositions(connection.db, folder.id)
    const present = new Set(folder.list().map(({ file }) => file))
    const vanished = [...imported.keys()].filter((file) => !present.has(file))
    await deletePositions(connection.db, folder.id, vanished)
    return { connection, imported, read: new Map(imported) }
  } catch (error) {
    connection.release(true)
    throw error
  }
}

/** Gives the folder up for others, also when the database is away; never rejects. */
export async function closeFolderSession(
  { connection }: FolderSession,
  folder: JournalFolder,
): Promise<void> {
  await releaseFolder(connection.db, folder.id).catch(() => {})
  connection.release(true)
}

/**
 * Whether another importer has done meanwhile with these files what there is to do: what they held when they
 * were listed is imported, and those of writers that are gone are deleted.
 */
export async function areDone(
  db: Db,
  folder: JournalFolder,
  files: readonly SegmentState[],
): Promise<boolean> {
  const imported = await loadPositions(db, folder.id)
  // A file goes before its position does.
  const present = new Map(folder.list().map((segment) => [segment.file, segment]))
  return files.every(({ file, size }) => {
    const now = present.get(file)
    // A write that failed may have been taken back.
    return !now || (!now.final && (imported.get(file) ?? 0) >= Math.min(size, now.size))
  })
}
