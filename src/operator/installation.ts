import { statfs } from 'node:fs/promises'
import { createImportState, type ImportState, readImportFailure } from '../clicks/read.ts'
import type { Clock } from '../clock.ts'
import type { Db } from '../db/pool.ts'
import { type DatabaseFacts, readDatabaseFacts } from './installation.queries.ts'

/** What is known of an installation beyond its processes, at one moment. Undefined is not known now. */
export type InstallationFacts = {
  /** The database, and the milliseconds it took to answer. */
  database: (DatabaseFacts & { answeredIn: number }) | undefined
  importer: ImportState | undefined
  /** Imports of this machine's journal that fail, and for how many milliseconds they have. */
  importFailure: { lasts: number; error: string } | undefined
  /** Bytes of the file system that the data folder is on. */
  disk: { free: number; size: number } | undefined
}

type Dependencies = { db: Db; clock: Clock; dataDir: string; journalDir: string }

/** Looks at what an installation stands on; asked for by whoever watches it, not by visitors. */
export function createInstallation({ db, clock, dataDir, journalDir }: Dependencies) {
  const readImportState = createImportState({ db, journalDir })

  async function readDatabase(): Promise<InstallationFacts['database']> {
    const begun = performance.now()
    const facts = await readDatabaseFacts(db)
    return { ...facts, answeredIn: performance.now() - begun }
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
      readImportState(clock()).catch(unknown),
      readDisk().catch(unknown),
    ])
    return { database, importer, importFailure: readFailure(), disk }
  }
}
