import { Kysely, PostgresDialect } from 'kysely'
import { createConnectionCheck, type Identity } from './connection-check.ts'
import { type ConnectionPool, createConnectionPool } from './connection-pool.ts'
import type { DB } from './tables.generated.ts'

export type Db = Kysely<DB>

export type Database = {
  db: Db
  pool: ConnectionPool
  /** From now on, rejects connections to the database of another installation. */
  requireInstance(instance: Identity): void
  close(): Promise<void>
}

export type DatabaseOptions = {
  url: string
  /** The name of the connections in pg_stat_activity. */
  name: string
  /** The maximum number of connections. */
  max?: number
  /**
   * Timeouts in milliseconds for connecting and for statements. When one expires, the database
   * counts as unavailable.
   */
  connectTimeout?: number
  queryTimeout?: number
  onError?: (error: Error) => void
  /** Session settings by name. */
  settings?: Readonly<Record<string, string | number>>
}

/**
 * Opens a pool of connections with Kysely on top. This process enforces both timeouts, because a
 * frozen server would not. Together they keep requests under two seconds.
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
  const connectionCheck = createConnectionCheck()
  const pool = createConnectionPool({
    url,
    name,
    max,
    connectTimeout,
    queryTimeout,
    settings,
    connectionCheck,
    onError,
  })
  const db = new Kysely<DB>({ dialect: new PostgresDialect({ pool }) })
  // Kysely closes the pool only if it has used it.
  const close = async () => {
    await db.destroy()
    await pool.end()
  }
  return { db, pool, requireInstance: connectionCheck.require, close }
}
