import type pg from 'pg'
import { openDriverPool } from './driver-pool.ts'
import { findJobRevision, JOB_REVISION, JOB_SCHEMA } from './job-schema.queries.ts'
import { SchemaMismatchError } from './migration-files.ts'

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
