import { withClient } from './client.ts'
import { withConnection } from './connection.ts'
import { isJobSchemaPending, JOB_MIGRATION, migrateJobSchema } from './job-schema.ts'
import {
  applyMigration,
  createMigrationTable,
  listApplied,
  lockMigrations,
} from './migrate.queries.ts'
import { listPendingAfter } from './migration-files.ts'
import { awaitPendingMigrations } from './pending-migrations.ts'
import { inTransaction } from './transaction.ts'

/**
 * Applies pending migrations. Each file in `migrations/` runs in its own transaction, in order. The
 * job queue's schema comes last. An advisory lock ensures that only one program does this at a
 * time. Returns the names of the applied migrations. With `upTo`, stops after that migration.
 *
 * @throws Error if the server is older than PostgreSQL 15, if the schema is newer than this
 * program, or if an applied migration has been edited
 */
export async function migrate(
  databaseUrl: string,
  { upTo }: { upTo?: string | undefined } = {},
): Promise<string[]> {
  const [next] = await awaitPendingMigrations(databaseUrl)
  if (next === undefined) return []
  // Closing the connection releases the lock.
  return withConnection({ url: databaseUrl, name: 'migrate' }, async ({ db }) => {
    await lockMigrations(db)
    await createMigrationTable(db)
    const pending = await listPendingAfter(await listApplied(db))
    const selected = pending.filter(({ name }) => !upTo || name <= upTo)
    for (const migration of selected) await inTransaction(db, (tx) => applyMigration(tx, migration))
    const applied = selected.map(({ name }) => name)
    if (upTo || !(await withClient({ url: databaseUrl, name: 'migrate' }, isJobSchemaPending))) {
      return applied
    }
    await migrateJobSchema(databaseUrl)
    return [...applied, JOB_MIGRATION]
  })
}
