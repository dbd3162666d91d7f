import type pg from 'pg'
import { type ClientOptions, withClient } from './client.ts'
import { isJobSchemaPending, JOB_MIGRATION } from './job-schema.ts'
import { MIGRATION_LOCK } from './lock.ts'
import { type AppliedMigration, listPendingAfter, SchemaMismatchError } from './migration-files.ts'
import {
  requireCreation,
  requirePrivileges,
  requireSession,
  requireSuitableServer,
  UnsuitableDatabaseError,
} from './server-check.ts'

const NAME = 'migrate'

type Timeouts = Required<Pick<ClientOptions, 'connectTimeout' | 'queryTimeout'>>

/** Timeouts in milliseconds. They are shorter than those of the caller. */
const TIMEOUTS: Timeouts = { connectTimeout: 700, queryTimeout: 1000 }

/**
 * Returns the names of pending migrations, using only the driver.
 *
 * @throws SchemaMismatchError if the schema belongs to another version of the program
 * @throws UnsuitableDatabaseError if the server is older than PostgreSQL 15, or the database is not
 * in UTF-8
 * @throws Error if the server does not respond within the timeouts, by default a second
 */
export function listPendingMigrations(databaseUrl: string, timeouts = TIMEOUTS): Promise<string[]> {
  return withClient({ url: databaseUrl, name: NAME, ...timeouts }, findPending)
}

/**
 * Waits until no other process is migrating, then returns the names of pending migrations. If there
 * are none, the migration code need not be loaded at startup. Calls `onWait` if it has to wait.
 *
 * @throws UnsuitableDatabaseError if this program cannot use the database
 */
export function awaitPendingMigrations(
  databaseUrl: string,
  { onWait = () => {} }: { onWait?: () => void } = {},
): Promise<string[]> {
  return withClient({ url: databaseUrl, name: NAME }, async (client) => {
    // Precedes the lock, which a pooler in transaction mode would never release.
    const facts = await requireSuitableServer(client)
    await requireSession(client, databaseUrl, facts)
    await awaitMigrationLock(client, onWait)
    await requirePrivileges(client, facts.user)
    const pending = await listPending(client)
    if (pending.length > 0) requireCreation(facts)
    return pending
  })
}

/**
 * Rejects a schema that belongs to another version of this program, and a database that it cannot
 * use. Accepts an outdated schema, and an unreachable server, because it may recover.
 *
 * @throws SchemaMismatchError, UnsuitableDatabaseError
 */
export async function rejectForeignSchema(databaseUrl: string): Promise<void> {
  const options = { url: databaseUrl, name: NAME, ...TIMEOUTS }
  await withClient(options, async (client) => {
    const facts = await requireSuitableServer(client)
    await requireSession(client, databaseUrl, facts)
    await requirePrivileges(client, facts.user)
    await listPending(client)
  }).catch((error: unknown) => {
    if (isFinal(error)) throw error
  })
}

/** Returns whether an error lasts until an operator changes the program or the database. */
export function isFinal(error: unknown): error is Error {
  return error instanceof SchemaMismatchError || error instanceof UnsuitableDatabaseError
}

async function findPending(client: pg.ClientBase): Promise<string[]> {
  await requireSuitableServer(client)
  return listPending(client)
}

/** Returns the names of pending migrations. @throws SchemaMismatchError */
export async function listPending(client: pg.ClientBase): Promise<string[]> {
  const pending = await listPendingAfter(await findApplied(client))
  const names = pending.map((migration) => migration.name)
  return (await isJobSchemaPending(client)) ? [...names, JOB_MIGRATION] : names
}

/**
 * Waits until no migration is running, and blocks new ones until the connection ends. Calls `onWait`
 * if one is running.
 */
export async function awaitMigrationLock(client: pg.ClientBase, onWait: () => void): Promise<void> {
  const { rows } = await client.query<{ locked: boolean }>(
    'select pg_try_advisory_lock($1) as locked',
    [MIGRATION_LOCK],
  )
  if (rows[0]?.locked) return
  onWait()
  await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
}

/** Returns the applied migrations in order. The list is empty if there is no schema. */
async function findApplied(client: pg.ClientBase): Promise<AppliedMigration[]> {
  const { rows } = await client.query<{ found: boolean }>(
    `select to_regclass('migrations') is not null as found`,
  )
  if (!rows[0]?.found) return []
  const applied = await client.query<AppliedMigration>(
    'select name, checksum from migrations order by name',
  )
  return applied.rows
}
