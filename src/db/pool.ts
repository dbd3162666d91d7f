import { Kysely, PostgresDialect } from 'kysely'
import { type ConnectionPool, createConnectionPool } from './connection-pool.ts'
import type { Schema } from './schema.ts'

export type Db = Kysely<Schema>

export type Database = { db: Db; pool: ConnectionPool; close(): Promise<void> }

export type DatabaseOptions = {
  url: string
  /** Names this program's connections in pg_stat_activity. */
  name: string
  /** Connections at most. */
  max?: number
  /** Milliseconds for a connection, and for a statement, before it counts as unavailable. */
  connectTimeout?: number
  queryTimeout?: number
  onError?: (error: Error) => void
  /** Settings of the sessions, by their names. */
  settings?: Readonly<Record<string, string | number>>
}

/**
 * A pool of connections and Kysely on top of it. Both timeouts run on this side, because a frozen
 * server would never send its own: together they keep a request that meets one under two seconds.
 */
export function openDatabase({
  url,
  name,
  max = 10,
  connectTimeout = 1300,
  queryTimeout = 1500,
  onError = () => {},
  settings,
}: DatabaseOptions): Database {
  const pool = createConnectionPool({
    ...{ url, name, max, connectTimeout, queryTimeout, settings },
    onError,
  })
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
  // Kysely ends the pool only if it ever used it.
  const close = async () => {
    await db.destroy()
    await pool.end()
  }
  return { db, pool, close }
}
