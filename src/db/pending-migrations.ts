import type pg from 'pg'
import { withClient } from './client.ts'
import { isJobSchemaPending, JOB_MIGRATION } from './job-schema.ts'
import { listPendingAfter, SchemaMismatchError } from './migration-files.ts'
import { awaitMigrationLock, findApplied, findServerVersion } from './pending-migrations.queries.ts'

const NAME = 'migrate'
const OLDEST_SERVER = 150_000

/** Timeouts in milliseconds. They are shorter than those of the caller. */
const TIMEOUTS = { connectTimeout: 700, queryTimeout: 1000 }

/**
 * Returns the names of pending migrations, using only the driver.
 *
 * @throws SchemaMismatchError if the schema belongs to another version of the program
 * @throws Error if the server is older than PostgreSQL 15 or does not respond within a second
 */
export function listPendingMigrations(databaseUrl: string): Promise<string[]> {
  return withClient({ url: databaseUrl, name: NAME, ...TIMEOUTS }, findPending)
}

/**
 * Waits until no other process is migrating, then returns the names of pending migrations. If there
 * are none, the migration code need not be loaded at startup.
 */
export function awaitPendingMigrations(databaseUrl: string): Promise<string[]> {
  return withClient({ url: databaseUrl, name: NAME }, async (client) => {
    await awaitMigrationLock(client)
    return findPending(client)
  })
}

/**
 * Rejects a schema that belongs to another version of this program. Accepts an outdated schema, and
 * an unreachable server, because it may recover.
 *
 * @throws SchemaMismatchError
 */
export async function rejectForeignSchema(databaseUrl: string): Promise<void> {
  await listPendingMigrations(databaseUrl).catch((error: unknown) => {
    if (error instanceof SchemaMismatchError) throw error
  })
}

async function findPending(client: pg.ClientBase): Promise<string[]> {
  const { version, name } = await findServerVersion(client)
  if (version < OLDEST_SERVER) {
    throw new Error(`PostgreSQL 15 or newer is required, but this server is ${name}.`)
  }
  const pending = await listPendingAfter(await findApplied(client))
  const names = pending.map((migration) => migration.name)
  return (await isJobSchemaPending(client)) ? [...names, JOB_MIGRATION] : names
}
