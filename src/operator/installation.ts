import { statfs } from 'node:fs/promises'
import { createImportState, type ImportState, readImportFailure } from '../clicks/read.ts'
import type { Context } from '../context.ts'
import type { Db } from '../db/pool.ts'
import { type JobFacts, readJobFacts } from '../jobs/job-queue.queries.ts'
import { countBroken } from '../links/check/link-check.queries.ts'
import { LINK_CHECK_TASK } from '../links/check/link-check-task.ts'
import type { StoreState } from '../links/store/store-reader.ts'
import { type DatabaseFacts, readDatabaseFacts } from './installation.queries.ts'

/**
 * The state of an installation beyond its processes. Values that could not be read are undefined.
 */
export type InstallationFacts = {
  /** The database, and its response time in milliseconds. */
  database: (DatabaseFacts & { answeredIn: number }) | undefined
  importer: ImportState | undefined
  /** The current failure of this machine's imports, and its duration in milliseconds. */
  importFailure: { lasts: number; error: string } | undefined
  /** Pending and abandoned emails, if mail is set up. */
  mail: JobFacts | undefined
  /** The number of broken links, if links are checked. */
  brokenLinks: number | undefined
  /** This machine's link store. */
  linkStore: StoreState | undefined
  /** The free space and the size in bytes of the file system with the data folder. */
  disk: { free: number; size: number } | undefined
}

/**
 * Reads the state of an installation for monitoring. Never rejects: values that cannot be read are
 * undefined.
 */
export async function readInstallation(
  { clock, store, config: { dataDir, journalDir, mail, linkCheck } }: Context,
  db: Db,
): Promise<InstallationFacts> {
  const now = clock()
  const readImporter = createImportState({ db, journalDir })
  const unknown = () => undefined
  const [database, importer, disk, jobs, brokenLinks] = await Promise.all([
    readDatabase(db).catch(unknown),
    readImporter(now).catch(unknown),
    readDisk(dataDir).catch(unknown),
    mail ? readJobFacts(db, LINK_CHECK_TASK).catch(unknown) : undefined,
    linkCheck ? countBroken(db).catch(unknown) : undefined,
  ])
  return {
    database,
    importer,
    importFailure: readFailure(journalDir, now),
    mail: jobs,
    disk,
    linkStore: store.describe(),
    brokenLinks,
  }
}

async function readDatabase(db: Db): Promise<InstallationFacts['database']> {
  const begun = performance.now()
  const facts = await readDatabaseFacts(db)
  return { ...facts, answeredIn: performance.now() - begun }
}

function readFailure(journalDir: string, now: Date): InstallationFacts['importFailure'] {
  const failure = readImportFailure(journalDir)
  if (!failure) return undefined
  return { lasts: Math.max(0, now.getTime() - failure.since), error: failure.error }
}

async function readDisk(dataDir: string): Promise<InstallationFacts['disk']> {
  const { bavail, blocks, bsize } = await statfs(dataDir)
  return { free: bavail * bsize, size: blocks * bsize }
}
