import { hasAccounts } from '../accounts/account.queries.ts'
import { withConnection } from '../db/connection.ts'
import { isRowError } from '../db/errors.ts'
import { JOB_MIGRATION } from '../db/job-schema.ts'
import { listApplied } from '../db/migrate.queries.ts'
import { migrate } from '../db/migrate.ts'
import { listPendingAfter } from '../db/migration-files.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction } from '../db/transaction.ts'
import { loadTables } from './load.ts'
import type { Manifest } from './manifest.ts'
import { checkArchive, readArchive } from './read-archive.ts'
import { analyze, lockAccounts, readDatabaseState, SETTINGS } from './tables.queries.ts'

type RestoreOptions = { databaseUrl: string; file: string }

export type Restored = {
  manifest: Manifest
  /**
   * Migrations of this program that are newer than the backup and were applied after it was loaded.
   */
  migrated: string[]
}

/**
 * Restores a backup into a database without accounts. Creates the backup's schema, loads all rows
 * in one transaction, and then applies newer migrations. Checks the entire file before changing
 * anything.
 *
 * @throws Error if the file is not a complete backup or is newer than this program, or if the
 * database has accounts, is in use, or has a newer schema than the backup
 */
export async function restore({ databaseUrl, file }: RestoreOptions): Promise<Restored> {
  const manifest = await checkArchive(readArchive(file))
  await listPendingAfter(manifest.migrations, 'backup')
  const newest = manifest.migrations.at(-1)?.name
  const target = { url: databaseUrl, name: 'restore', settings: SETTINGS }
  await withConnection(target, ({ db }) => checkTarget(db, newest))
  await migrate(databaseUrl, { upTo: newest })
  await withConnection(target, async ({ db, copy }) => {
    await inTransaction(db, async (tx) => {
      await lockAccounts(tx)
      await checkTarget(tx, newest)
      await loadTables({ db: tx, copy }, manifest, readArchive(file)).catch(explainRowError)
    })
    await analyze(db)
  })
  // Backups do not include the job queue.
  const migrated = (await migrate(databaseUrl)).filter((name) => name !== JOB_MIGRATION)
  return { manifest, migrated }
}

/**
 * Explains errors of rows. In a request, they mean that an id is unknown. Here they mean that the
 * file is invalid.
 */
function explainRowError(error: unknown): never {
  if (!(error instanceof Error) || !isRowError(error)) throw error
  const message = `The rows of the backup break the rules of the schema: ${error.message}.`
  throw new Error(message, { cause: error })
}

/** Rejects a database that is in use, or that has content which would be destroyed. */
async function checkTarget(db: Db, newest = ''): Promise<void> {
  const { service, schema } = await readDatabaseState(db)
  if (service) throw new Error('The service is running. Stop it before a restore.')
  if (!schema) return
  if (await hasAccounts(db)) {
    throw new Error('The database has accounts. Restore into an empty one.')
  }
  const newerMigration = (await listApplied(db)).find(({ name }) => name > newest)
  if (newerMigration) {
    throw new Error(
      `The database has migration ${newerMigration.name}, which the backup lacks. Restore into a new one.`,
    )
  }
}
