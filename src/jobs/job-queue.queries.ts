import { sql } from 'kysely'
import type pg from 'pg'
import { JOB_RUNNER_LOCK } from '../db/lock.ts'
import type { Db } from '../db/pool.ts'

const MAX_JOBS = 10_000
/** The number of days for which failed jobs are stored, so that admins can see them. */
const FAILED_RETENTION_DAYS = 7

export type NewJob = {
  task: string
  payload: Readonly<Record<string, unknown>>
  /** A new job replaces a waiting job with the same key. */
  key: string
  maxAttempts: number
  /** Milliseconds until the job is due. Defaults to 0. */
  delayMs?: number
}

/** Adds a job in the transaction of `db`. Returns false if the queue is full. */
export async function addJob(
  db: Db,
  { task, payload, key, maxAttempts, delayMs = 0 }: NewJob,
): Promise<boolean> {
  const { rows } = await sql`
    select brevis_jobs.add_job(${task}, ${JSON.stringify(payload)}::json,
      run_at => now() + ${delayMs}::int * interval '1 millisecond',
      job_key => ${key}, max_attempts => ${maxAttempts}::int)
    where (select count(*) from (select from brevis_jobs.jobs limit ${MAX_JOBS}) as job) < ${MAX_JOBS}
  `.execute(db)
  return rows.length > 0
}

export type JobFacts = {
  waiting: number
  /** The number of jobs abandoned in the last week. */
  failed: number
  /** The last error of any of these jobs. */
  lastError: string | null
}

/** Returns facts about the jobs that send mail. */
export async function readMailJobFacts(db: Db): Promise<JobFacts> {
  const { rows } = await sql<JobFacts>`
    select count(*) filter (where attempts < max_attempts or locked_at is not null) as waiting,
      count(*) filter (where attempts >= max_attempts and locked_at is null) as failed,
      (array_agg(last_error order by updated_at desc) filter (where last_error is not null))[1]
        as "lastError"
    from brevis_jobs.jobs where task_identifier like 'mail-%'`.execute(db)
  return rows[0] ?? { waiting: 0, failed: 0, lastError: null }
}

/**
 * Makes the next failure of a job final. For a running job, only graphile-worker's own table allows
 * this. Its version is pinned, and a test detects changes of the table.
 */
export async function abandonJob(db: Db, id: string): Promise<void> {
  await sql`
    update brevis_jobs._private_jobs set max_attempts = attempts where id = ${id}`.execute(db)
}

/** Tries to become the installation's only runner until the connection ends. */
export async function tryRunnerLock(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(
    'select pg_try_advisory_lock($1) as locked',
    [JOB_RUNNER_LOCK],
  )
  return rows[0]?.locked === true
}

/** Unlocks jobs that crashed runners have left locked. The caller must have the runner's lock. */
export async function unlockJobs(client: pg.ClientBase): Promise<void> {
  await client.query(`select brevis_jobs.force_unlock_workers(
    array(select distinct locked_by from brevis_jobs.jobs where locked_by is not null))`)
}

export async function addPeriodicJobs(client: pg.ClientBase, tasks: readonly string[]) {
  await client.query(
    'select brevis_jobs.add_job(task, job_key => task) from unnest($1::text[]) as task',
    [tasks],
  )
}

export async function deleteOldFailures(client: pg.ClientBase): Promise<void> {
  await client.query(
    `select brevis_jobs.complete_jobs(array(select id from brevis_jobs.jobs
       where attempts >= max_attempts and locked_at is null
         and updated_at < now() - $1 * interval '1 day'))`,
    [FAILED_RETENTION_DAYS],
  )
}
