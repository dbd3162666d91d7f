import { withClient } from './client.ts'
import { withConnection } from './connection.ts'
import { isUnavailable } from './errors.ts'
import { isJobSchemaPending, JOB_MIGRATION, migrateJobSchema } from './job-schema.ts'
import {
  applyMigration,
  createMigrationTable,
  listApplied,
  lockMigrations,
} from './migrate.queries.ts'
import { listPendingAfter, type Migration } from './migration-files.ts'
import { awaitPendingMigrations } from './pending-migrations.ts'
import type { Db } from './pool.ts'
import { inTransaction } from './transaction.ts'

/** Receives a message with details, for the log. */
export type MigrationLog = (details: Record<string, unknown>, message: string) => void

/** Milliseconds between two reports of the progress of a migration. */
const PROGRESS_MS = 5000

/**
 * Applies pending migrations. Each file in `migrations/` runs in its own transaction, in order. The
 * job queue's schema comes last. An advisory lock ensures that only one program does this at a
 * time. Returns the names of the applied migrations. With `upTo`, stops after that migration. `log`
 * receives the start, the progress and the end of each migration.
 *
 * @throws UnsuitableDatabaseError if this program cannot use the database
 * @throws SchemaMismatchError if the schema is newer than this program, or if an applied migration
 * has been edited
 * @throws Error naming the migration that failed
 */
export async function migrate(
  databaseUrl: string,
  { upTo, log = () => {} }: { upTo?: string | undefined; log?: MigrationLog } = {},
): Promise<string[]> {
  const [next] = await awaitPendingMigrations(databaseUrl)
  if (next === undefined) return []
  // Closing the connection releases the lock.
  return withConnection({ url: databaseUrl, name: 'migrate' }, async ({ db }) => {
    await lockMigrations(db)
    await createMigrationTable(db)
    const pending = await listPendingAfter(await listApplied(db))
    const selected = pending.filter(({ name }) => !upTo || name <= upTo)
    for (const migration of selected) await apply(db, migration, log)
    const applied = selected.map(({ name }) => name)
    if (upTo || !(await withClient({ url: databaseUrl, name: 'migrate' }, isJobSchemaPending))) {
      return applied
    }
    log({ name: JOB_MIGRATION }, 'applying a migration')
    await nameFailure(JOB_MIGRATION, () => migrateJobSchema(databaseUrl))
    log({ name: JOB_MIGRATION }, 'applied a migration')
    return [...applied, JOB_MIGRATION]
  })
}

/** Applies a migration in a transaction, and reports its progress. */
async function apply(db: Db, migration: Migration, log: MigrationLog): Promise<void> {
  const { name } = migration
  const startedAt = performance.now()
  const seconds = () => Math.round((performance.now() - startedAt) / 1000)
  let statement = 0
  let statements = 0
  log({ name }, 'applying a migration')
  const report = () =>
    log({ name, statement, statements, seconds: seconds() }, 'a migration is still running')
  const timer = setInterval(report, PROGRESS_MS)
  try {
    await nameFailure(name, () =>
      inTransaction(db, (tx) =>
        applyMigration(tx, migration, (done, total) => {
          statement = done + 1
          statements = total
        }),
      ),
    )
  } finally {
    clearInterval(timer)
  }
  log({ name, seconds: seconds() }, 'applied a migration')
}

/** Runs `work`. If it fails for a reason other than a lost connection, names the migration. */
async function nameFailure(name: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (cause) {
    if (isUnavailable(cause) || !(cause instanceof Error)) throw cause
    const message = `Migration ${name} failed, and the database is unchanged by it: ${cause.message}`
    throw new Error(message, { cause })
  }
}
