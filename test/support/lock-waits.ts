type QueryRunner = {
  query(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>
}

/**
 * Returns whether a session of a program waits for a lock in this database. On a cluster, it may wait
 * on any machine.
 */
export async function isWaitingForLock(
  database: QueryRunner,
  program = 'brevis',
): Promise<boolean> {
  const { rows } = await database.query(
    `select to_regclass('citus_lock_waits') as view, exists (
       select from pg_stat_activity
       where wait_event_type = 'Lock' and datname = current_database()
         and starts_with(application_name, $1)) as waits`,
    [program],
  )
  if (rows[0]?.waits === true) return true
  if (!rows[0]?.view) return false
  // https://docs.citusdata.com/en/stable/develop/api_metadata.html
  return (await database.query('select 1 from citus_lock_waits')).rows.length > 0
}
