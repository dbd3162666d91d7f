import { statfs } from 'node:fs/promises'
import { sql } from 'kysely'
import { createImportState, type ImportState, readImportFailure } from '../clicks/read.ts'
import type { Context } from '../context.ts'
import type { Db } from '../db/pool.ts'
import { type JobFacts, readMailJobFacts } from '../jobs/job-queue.queries.ts'
import { countBroken } from '../links/check/link-check.queries.ts'
import type { StoreState } from '../links/store/store-reader.ts'

const QUEUES = ['webhooks', 'mail', 'jobs', 'imports'] as const

type Queue = (typeof QUEUES)[number]

type QueueFacts = {
  queue: Queue
  waiting: number
  /** How long the oldest due entry has been waiting, in seconds. 0 if none is due. */
  oldestSeconds: number
}

const UNKNOWN_QUEUES: QueueFacts[] = QUEUES.map((queue) => ({
  queue,
  waiting: Number.NaN,
  oldestSeconds: Number.NaN,
}))

type DatabaseFacts = { version: string; bytes: number }

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
    mail ? readMailJobFacts(db).catch(toUndefined) : undefined,
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

/** Returns the version of the database server and the size of the database on it. */
async function readDatabaseFacts(db: Db): Promise<DatabaseFacts> {
  const { rows } = await sql<{ version: string; bytes: string }>`
    select current_setting('server_version') as version,
           pg_database_size(current_database()) as bytes`.execute(db)
  const [facts] = rows
  return { version: facts?.version ?? '', bytes: Number(facts?.bytes) }
}

/**
 * Returns the state of all queues. Entries that must wait are not due: those of disabled or paused
 * endpoints and suspended accounts, and scheduled ones. An email that could not be sent yet is.
 */
async function readQueues(db: Db, now: Date): Promise<QueueFacts[]> {
  const { rows } = await sql<QueueFacts>`
    with due as (
      select 'webhooks' as queue, case when d.next_at <= ${now}
        and (e.paused_until is null or e.paused_until <= ${now}) then ${now} - d.next_at end as age
      from webhook_deliveries d
      join webhook_endpoints e on e.id = d.endpoint_id and e.disabled_at is null
      join accounts a on a.id = e.account_id and a.suspended_at is null
      where d.state = 'waiting'
      union all
      select 'imports', case when i.not_before is null or i.not_before <= now() then now() - i.updated_at end
      from imports i
      join accounts a on a.id = i.account_id and a.suspended_at is null
      where i.background and i.state = 'waiting'
      union all
      select case when task_identifier like 'mail-%' then 'mail' else 'jobs' end,
        case when locked_at is not null then null
          when task_identifier like 'mail-%' and attempts > 0 then now() - created_at
          when run_at <= now() then now() - run_at end
      from brevis_jobs.jobs where attempts < max_attempts or locked_at is not null
    )
    select queue, count(*) as waiting,
      coalesce(greatest(0, extract(epoch from max(age))), 0)::float8 as "oldestSeconds"
    from due group by queue`.execute(db)
  return QUEUES.map(
    (queue) => rows.find((row) => row.queue === queue) ?? { queue, waiting: 0, oldestSeconds: 0 },
  )
}
