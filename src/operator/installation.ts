import { statfs } from 'node:fs/promises'
import { readImportFailure } from '../clicks/import/import-failure.ts'
import { isFolderClaimed, loadPositions } from '../clicks/import/positions.queries.ts'
import { type JournalFolder, openJournalFolder } from '../clicks/journal/segments.ts'
import type { Clock } from '../clock.ts'
import type { Db } from '../db/pool.ts'
import { type DatabaseFacts, readDatabaseFacts } from './installation.queries.ts'

/** What is known of an installation beyond its processes, at one moment. Undefined is not known now. */
export type InstallationFacts = {
  /** The database, and the milliseconds it took to answer. */
  database: (DatabaseFacts & { answeredIn: number }) | undefined
  importer:
    | {
        /** Whether there is one that imports from this machine's journal. */
        running: boolean
        /** Bytes of clicks that are not in the database yet. */
        waiting: number
        /** Milliseconds since the oldest of them. */
        lag: number
      }
    | undefined
  /** Imports of this machine's journal that fail, and for how many milliseconds they have. */
  importFailure: { lasts: number; error: string } | undefined
  /** Bytes of the file system that the data folder is on. */
  disk: { free: number; size: number } | undefined
}

type Dependencies = { db: Db; clock: Clock; dataDir: string; journalDir: string }

/** Looks at what an installation stands on; asked for by whoever watches it, not by visitors. */
export function createInstallation({ db, clock, dataDir, journalDir }: Dependencies) {
  let folder: JournalFolder | undefined

  async function readDatabase(): Promise<InstallationFacts['database']> {
    const begun = performance.now()
    const facts = await readDatabaseFacts(db)
    return { ...facts, answeredIn: performance.now() - begun }
  }

  async function readImporter(): Promise<InstallationFacts['importer']> {
    folder ??= openJournalFolder(journalDir)
    const [positions, running] = await Promise.all([
      loadPositions(db, folder.id),
      isFolderClaimed(db, folder.id),
    ])
    return { running, ...waitingIn(folder, positions, clock().getTime()) }
  }

  function readFailure(): InstallationFacts['importFailure'] {
    const failure = readImportFailure(journalDir)
    if (!failure) return undefined
    return { lasts: Math.max(0, clock().getTime() - failure.since), error: failure.error }
  }

  async function readDisk(): Promise<InstallationFacts['disk']> {
    const { bavail, blocks, bsize } = await statfs(dataDir)
    return { free: bavail * bsize, size: blocks * bsize }
  }

  /** Never rejects: that something cannot be asked is what somebody wants to know. */
  return async function look(): Promise<InstallationFacts> {
    const unknown = () => undefined
    const [database, importer, disk] = await Promise.all([
      readDatabase().catch(unknown),
      readImporter().catch(unknown),
      readDisk().catch(unknown),
    ])
    return { database, importer, importFailure: readFailure(), disk }
  }
}

/** What of a journal is not imported yet, and how old the oldest click of it is. */
function waitingIn(
  folder: JournalFolder,
  positions: ReadonlyMap<string, number>,
  now: number,
): { waiting: number; lag: number } {
  let waiting = 0
  let oldest = now
  // A writer's segments are in order, so that the first which is not imported whole has its oldest click.
  const looked = new Set<string>()
  for (const { file, writer, size } of folder.list()) {
    const position = positions.get(file) ?? 0
    if (position >= size) continue
    waiting += size - position
    if (looked.has(writer)) continue
    const [first] = folder.read(file, position, 1).records
    if (!first) continue
    looked.add(writer)
    oldest = Math.min(oldest, first.at)
  }
  return { waiting, lag: now - oldest }
}
