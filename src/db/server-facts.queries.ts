import type pg from 'pg'

export type ServerFacts = {
  /** The version as a number (150004 for 15.4) and as text. */
  version: number
  versionName: string
  encoding: string
  timeZone: string
  isReadOnly: boolean
  /** Whether the server is a replica, which rejects LISTEN. */
  isReplica: boolean
  user: string
  database: string
  /** The schema for tables. Null if none of the search path exists. */
  schema: string | null
  canCreateTables: boolean
  canCreateSchemas: boolean
}

/** Returns what the program requires of a server, a database and a session. */
export async function readServerFacts(client: pg.ClientBase): Promise<ServerFacts> {
  const { rows } = await client.query<ServerFacts>(`
    select current_setting('server_version_num')::int as version,
      current_setting('server_version') as "versionName",
      current_setting('server_encoding') as encoding,
      current_setting('TimeZone') as "timeZone",
      current_setting('transaction_read_only') = 'on' as "isReadOnly",
      pg_is_in_recovery() as "isReplica",
      current_user as user, current_database() as database, current_schema() as schema,
      coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) as "canCreateTables",
      has_database_privilege(current_database(), 'CREATE') as "canCreateSchemas"`)
  const [facts] = rows
  if (!facts) throw new Error('the server did not return its version')
  return facts
}

/** Returns the time of the server in milliseconds since 1970. */
export async function readServerTime(client: pg.ClientBase): Promise<number> {
  const { rows } = await client.query<{ now: Date }>('select clock_timestamp() as now')
  return rows[0]?.now.getTime() ?? Number.NaN
}

/**
 * Returns the program's tables that the user may not read and write, and the owner of the tables if
 * the user does not have the owner's rights. Monthly partitions of clicks require these.
 */
export async function findMissingPrivileges(
  client: pg.ClientBase,
): Promise<{ tables: string[]; owner: string | null }> {
  const { rows } = await client.query<{ tables: string[]; owner: string | null }>(`
    select coalesce(array_agg(c.relname::text order by c.relname) filter (where not (
        has_table_privilege(c.oid, 'SELECT') and has_table_privilege(c.oid, 'INSERT')
        and has_table_privilege(c.oid, 'UPDATE') and has_table_privilege(c.oid, 'DELETE'))), '{}')
        as tables,
      max(pg_get_userbyid(m.relowner)::text) filter (where not pg_has_role(m.relowner, 'USAGE'))
        as owner
    from pg_class m
    join pg_class c on c.relowner = m.relowner and c.relnamespace = m.relnamespace
      and c.relkind in ('r', 'p')
    where m.oid = to_regclass('migrations')`)
  return rows[0] ?? { tables: [], owner: null }
}
