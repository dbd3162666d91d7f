import type { Db } from '../../db/pool.ts'
import { type JournalFolder, openJournalFolder } from '../journal/segments.ts'
import { isFolderClaimed, loadPositions } from './positions.queries.ts'

/** The state of the journal import on a machine. */
export type ImportState = {
  /** Whether an importer is running. */
  isRunning: boolean
  /** The number of bytes in the journal that are not yet imported. */
  waitingBytes: number
  /** The age of the oldest click that is not yet imported, in milliseconds. */
  lagMs: number
}

/** Creates the function that reads the state of a journal's import. */
export function createImportState({ db, journalDir }: { db: Db; journalDir: string }) {
  let folder: JournalFolder | undefined

  return async function readImportState(now: Date): Promise<ImportState> {
    try {
      folder ??= openJournalFolder(journalDir)
    } catch {
      // Without the folder, the importer cannot run either.
      return { isRunning: false, waitingBytes: 0, lagMs: 0 }
    }
    const [positions, isRunning] = await Promise.all([
      loadPositions(db, folder.id),
      isFolderClaimed(db, folder.id),
    ])
    return { isRunning: isRunning, ...measureBacklog(folder, positions, now.getTime()) }
  }
}

/**
 * Returns the number of bytes that are not yet imported, and the age of the oldest click in
 * milliseconds.
 */
function measureBacklog(
  folder: JournalFolder,
  positions: ReadonlyMap<string, number>,
  now: number,
): { waitingBytes: number; lagMs: number } {
  let waitingBytes = 0
  let oldest = now
  // The segments of a writer are in order, so its first incomplete segment contains its oldest
  // click.
  const checked = new Set<string>()
  for (const { file, writer, size } of folder.list()) {
    const position = positions.get(file) ?? 0
    if (position >= size) continue
    waitingBytes += size - position
    if (checked.has(writer)) continue
    const [first] = folder.read(file, position, 1).records
    if (!first) continue
    checked.add(writer)
    oldest = Math.min(oldest, first.at)
  }
  return { waitingBytes: waitingBytes, lagMs: now - oldest }
}
