import { withClient } from './client.ts'
import { withConnection } from './connection.ts'
import { isJobSchemaPending, JOB_MIGRATION, migrateJobSchema } from './job-schema.ts'
import {
  applyMigration,
  createMigrationTable,
  listApplied,
  lockMigrations,
} from './migrate.queries.ts'
import { pendingAfter } from './migration-files.ts'
import { settledMigrations } from './pending-migrations.ts'
import { inTransaction } from './transaction.ts'

/**
 * Applies pending migrations: each file of `migrations/` in a transaction of its own, in order, and
 * then the job queue's schema. An advisory lock makes concurrent programs take turns. Returns the
 * applied names. With `upTo`, stops after that migration.
 *
 * @throws Error if the server is older than PostgreSQL 15, if the schema is newer than this
 * program, or if an applied migration has been edited
 */
export async function migrate(
  databaseUrl: string,
  { upTo }: { upTo?: string | undefined } = {},
): Promise<string[]> {
  const [next] = await settledMigrations(databaseUrl)
  if (next === undefined) return []
  // Closing the connection also releases the lock.
  return withConnection({ url: databaseUrl, name: 'migrate' }, async ({ db }) => {
    await lockMigrations(db)
    await createMigrationTable(db)
    const pending = await pendingAfter(await listApplied(db))
    const wanted = pending.filter(({ name }) => !upTo || name <= upTo)
    for (const migration of wanted) await inTransaction(db, (tx) => applyMigration(tx, migration))
    const applied = wanted.map(({ name }) => name)
    if (upTo || !(await withClient({ url: databaseUrl, name: 'migrate' }, isJobSchemaPending))) {
      return applied
    }
    await migrateJobSchema(databaseUrl)
    return [...applied, JOB_MIGRATION]
  })
}
