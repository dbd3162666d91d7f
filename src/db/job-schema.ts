import type pg from 'pg'
import { openDriverPool } from './driver-pool.ts'
import { SchemaMismatchError } from './migration-files.ts'

/** The schema of graphile-worker's tables. */
export const JOB_SCHEMA = 'brevis_jobs'

/** The schema revision of the installed version of graphile-worker. */
export const JOB_REVISION = 19

/** The name of the job queue's schema in the list of migrations. */
export const JOB_MIGRATION = `job-queue-${JOB_REVISION}`

/**
 * Returns whether the job queue's schema is missing or outdated.
 *
 * @throws SchemaMismatchError if a newer program has changed it incompatibly
 */
export async function isJobSchemaPending(client: pg.ClientBase): Promise<boolean> {
  const { revision, breaking } = await findJobRevision(client)
  if (breaking > JOB_REVISION) {
    const message = `The database is newer than this program: its job queue has revision ${breaking}.`
    throw new SchemaMismatchError(message)
  }
  return revision < JOB_REVISION
}

/** Creates or updates the schema. The caller must have the migration lock. */
export async function migrateJobSchema(databaseUrl: string): Promise<void> {
  const { runMigrations, Logger } = await import('graphile-worker')
  const pool = openDriverPool(databaseUrl, { name: 'migrate', max: 1 })
  const logger = new Logger(() => () => {})
  try {
    await runMigrations({ pgPool: pool, schema: JOB_SCHEMA, logger })
  } finally {
    await pool.end()
  }
}

/**
 * Returns the schema's revision and the last revision that is incompatible with older programs, or
 * 0 if there is no schema.
 */
async function findJobRevision(
  client: pg.ClientBase,
): Promise<{ revision: number; breaking: number }> {
  const noSchema = { revision: 0, breaking: 0 }
  const { rows } = await client.query<{ found: boolean }>(
    `select to_regclass('brevis_jobs.migrations') is not null as found`,
  )
  if (!rows[0]?.found) return noSchema
  const found = await client.query<{ revision: number; breaking: number }>(
    `select coalesce(max(id), 0) as revision,
            coalesce(max(id) filter (where breaking), 0) as breaking
     from brevis_jobs.migrations`,
  )
  return found.rows[0] ?? noSchema
}
