import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { createCircuitBreaker } from './circuit-breaker.ts'
import { runByName } from './prepared.ts'
import type { Schema } from './schema.ts'

export type Db = Kysely<Schema>

export type Database = { db: Db; pool: pg.Pool; close(): Promise<void> }

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
}

const INT8 = 20
/** Milliseconds that a server which is there has to end a statement before this side gives it up. */
const HEAD_START = 100

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
}: DatabaseOptions): Database {
  const types = new pg.TypeOverrides()
  // Ids and counters stay below 2^53; only visitor hashes do not, and those are read as text.
  types.setTypeParser(INT8, Number)
  const pool = new pg.Pool({
    connectionString: url,
    max,
    types,
    connectionTimeoutMillis: connectTimeout,
    query_timeout: queryTimeout || undefined,
    statement_timeout: Math.max(0, queryTimeout - HEAD_START) || undefined,
    application_name: `brevis ${name}`,
    options: '-c timezone=UTC',
    keepAlive: true,
  })
  // An idle connection that breaks raises this event; without a listener it would end the process.
  pool.on('error', onError)
  pool.on('connect', (client) => {
    // Nor does the pool listen on one that is in use. The statement on it fails with the same error.
    client.on('error', () => {})
    runByName(client)
    dropAfterTimeout(client, heardNothing)
  })
  const heardNothing = createCircuitBreaker(pool, { queryTimeout, cut: cutConnection })
  // Kysely ends the pool only if it ever used it.
  const close = async () => {
    await db.destroy()
    if (!pool.ended) await pool.end()
  }
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
  return { db, pool, close }
}

/**
 * After a read timeout the statement is still running on its connection, so the pool must not hand
 * that connection to anyone else. The error surfaces through either calling style of `query`.
 */
function dropAfterTimeout(
  client: pg.PoolClient,
  heardNothing: (client: pg.PoolClient) => void,
): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown
  const drop = (error: unknown) => {
    if (!(error instanceof Error) || error.message !== 'Query read timeout') return
    cutConnection(client)
    heardNothing(client)
  }
  client.query = ((...args: unknown[]) => {
    const callback = args.at(-1)
    if (typeof callback === 'function') {
      args[args.length - 1] = (error: unknown, result: unknown) => {
        if (error) drop(error)
        callback(error, result)
      }
    }
    const result = query(...args)
    if (result instanceof Promise) result.catch(drop)
    return result
  }) as typeof client.query
}

/** Ends a connection at once, without the farewell that a frozen server would never answer. */
export function cutConnection(client: pg.ClientBase): void {
  const { connection } = client as unknown as { connection: { stream: { destroy(): void } } }
  connection.stream.destroy()
}
