import type pg from 'pg'
import { MIGRATION_LOCK } from './lock.ts'
import type { AppliedMigration } from './migration-files.ts'

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
