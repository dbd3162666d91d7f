import { statfs } from 'node:fs/promises'
import { createImportState, type ImportState, readImportFailure } from '../clicks/read.ts'
import type { Context } from '../context.ts'
import type { Db } from '../db/pool.ts'
import { type JobFacts, readJobFacts } from '../jobs/job-queue.queries.ts'
import { countBroken } from '../links/check/link-check.queries.ts'
import { LINK_CHECK_TASK } from '../links/check/link-check-task.ts'
import type { StoreState } from '../links/store/store-reader.ts'
import { type DatabaseFacts, readDatabaseFacts } from './installation.queries.ts'
import { type QueueFacts, readQueues, UNKNOWN_QUEUES } from './queues.queries.ts'

/**
 * The state of an installation beyond its processes. Values that could not be read are undefined.
 */
export type InstallationFacts = {
  /** The database, and its response time in milliseconds. */
  database: (DatabaseFacts & { responseMs: number }) | undefined
  importer: ImportState | undefined
  /** The current failure of this machine's imports, and its duration in milliseconds. */
  importFailure: { durationMs: number; error: string } | undefined
  /** Pending and abandoned emails, if mail is set up. */
  mail: JobFacts | undefined
  /** The state of all queues. Its numbers are NaN if they could not be read. */
  queues: QueueFacts[]
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
  const toUndefined = () => undefined
  const [database, importer, disk, jobs, queues, brokenLinks] = await Promise.all([
    readDatabase(db).catch(toUndefined),
    readImporter(now).catch(toUndefined),
    readDisk(dataDir).catch(toUndefined),
    mail ? readJobFacts(db, LINK_CHECK_TASK).catch(toUndefined) : undefined,
    readQueues(db, now).catch(() => UNKNOWN_QUEUES),
    linkCheck ? countBroken(db).catch(toUndefined) : undefined,
  ])
  return {
    database,
    importer,
    importFailure: readFailure(journalDir, now),
    mail: jobs,
    queues,
    disk,
    linkStore: store.describe(),
    brokenLinks,
  }
}

async function readDatabase(db: Db): Promise<InstallationFacts['database']> {
  const startedAt = performance.now()
  const facts = await readDatabaseFacts(db)
  return { ...facts, responseMs: performance.now() - startedAt }
}

function readFailure(journalDir: string, now: Date): InstallationFacts['importFailure'] {
  const failure = readImportFailure(journalDir)
  if (!failure) return undefined
  return { durationMs: Math.max(0, now.getTime() - failure.since), error: failure.error }
}

async function readDisk(dataDir: string): Promise<InstallationFacts['disk']> {
  const { bavail, blocks, bsize } = await statfs(dataDir)
  return { free: bavail * bsize, size: blocks * bsize }
}
