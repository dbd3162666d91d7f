import type pg from 'pg'
import { MIGRATION_LOCK } from './lock.ts'
import type { AppliedMigration } from './migration-files.ts'

/** Waits until no migration is running, and blocks new ones until the connection ends. */
export async function awaitMigrationLock(client: pg.ClientBase): Promise<void> {
  await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
}

/** Returns the server's version as a number (150004 for 15.4) and as text. */
export async function findServerVersion(
  client: pg.ClientBase,
): Promise<{ version: number; name: string }> {
  const { rows } = await client.query<{ version: number; name: string }>(
    `select current_setting('server_version_num')::int as version,
            current_setting('server_version') as name`,
  )
  const [server] = rows
  if (!server) throw new Error('the server did not return its version')
  return server
}

/** Returns the applied migrations in order. The list is empty if there is no schema. */
export async function findApplied(client: pg.ClientBase): Promise<AppliedMigration[]> {
  const { rows } = await client.query<{ found: boolean }>(
    `select to_regclass('migrations') is not null as found`,
  )
  if (!rows[0]?.found) return []
  const applied = await client.query<AppliedMigration>(
    'select name, checksum from migrations order by name',
  )
  return applied.rows
}
