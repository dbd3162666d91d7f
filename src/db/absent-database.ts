import { Kysely, PostgresDialect } from 'kysely'
import { AppError } from '../errors.ts'
import type { ConnectionPool } from './connection-pool.ts'
import type { Database } from './pool.ts'
import type { DB } from './tables.generated.ts'

/** Returns a database for a process without one. All queries fail with `database_unavailable`. */
export function createAbsentDatabase(): Database {
  const fail = () => Promise.reject(new AppError('database_unavailable'))
  const close = async () => {}
  const pool: ConnectionPool = {
    options: {},
    connect: fail,
    query: fail,
    end: close,
    totalCount: 0,
    idleCount: 0,
    waitingCount: 0,
  }
  const db = new Kysely<DB>({ dialect: new PostgresDialect({ pool }) })
  return { db, pool, requireInstance() {}, close }
}
