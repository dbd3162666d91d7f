import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely'
import pg from 'pg'
import { createCircuitBreaker } from './circuit-breaker.ts'
import { Client, type ClientOptions, clientConfig, cutConnection } from './client.ts'
import { nameOf } from './statement-names.ts'

/** A connection for as long as somebody has it. */
export interface PooledConnection extends PostgresPoolClient {
  query<Row = pg.QueryResultRow>(
    text: string,
    values?: readonly unknown[],
  ): Promise<PostgresQueryResult<Row>>
  /** Runs a COPY of pg-copy-streams. */
  query<Stream extends pg.Submittable>(stream: Stream): Stream
  /** Gives it back, or destroys it when it is in an unknown state. */
  release(destroy?: boolean): void
}

/** A pool as Kysely's dialect takes it. */
export interface ConnectionPool extends PostgresPool {
  connect(): Promise<PooledConnection>
  /** Runs one statement on any connection. */
  query<Row = pg.QueryResultRow>(
    text: string,
    values?: readonly unknown[],
  ): Promise<PostgresQueryResult<Row>>
  readonly totalCount: number
  readonly idleCount: number
  readonly waitingCount: number
}

export type PoolOptions = ClientOptions & {
  /** Connections at most. */
  max: number
  queryTimeout: number
  onError: (error: Error) => void
}

/** The server cancels a statement this much earlier than this side gives up on it. */
const HEAD_START_MS = 100
/** Waiting this long for a connection does not shorten the time for a query. */
const GRACE_MS = 200

/**
 * The driver's pool behind a circuit breaker, which every answered query closes. Time spent waiting for
 * a connection shortens the query timeout, so that both together stay within one limit. Statements
 * that have a name are sent as prepared statements.
 */
export function createConnectionPool(options: PoolOptions): ConnectionPool {
  const { max, queryTimeout, onError } = options
  const breaker = createCircuitBreaker()
  const idle = new Set<pg.PoolClient>()
  const pool = new pg.Pool({
    ...clientConfig(options),
    Client,
    max,
    statement_timeout: Math.max(0, queryTimeout - HEAD_START_MS) || undefined,
  })
  // An idle connection that breaks raises this event; without a listener it would end the process.
  pool.on('error', onError)
  pool.on('acquire', (client) => idle.delete(client))
  pool.on('release', (_error, client) => idle.add(client))
  pool.on('remove', (client) => idle.delete(client))

  async function connect(): Promise<PooledConnection> {
    breaker.enter()
    const begun = performance.now()
    try {
      const client = await pool.connect()
      return lend(client, limitAfter(performance.now() - begun))
    } catch (error) {
      if (saysConnectTimeout(error)) openBreaker()
      throw error
    }
  }

  /** The query timeout after a wait of so many milliseconds, or undefined for the pool's own. */
  function limitAfter(waited: number): number | undefined {
    if (queryTimeout === 0 || waited <= GRACE_MS) return undefined
    return Math.max(GRACE_MS, queryTimeout + GRACE_MS - waited)
  }

  function lend(client: pg.PoolClient, limit: number | undefined): PooledConnection {
    let broken = false

    async function run<Row>(text: string, values?: readonly unknown[]) {
      const query = { name: nameOf(text), text, values: values?.slice(), query_timeout: limit }
      try {
        const result = await client.query<Row & pg.QueryResultRow>(query)
        breaker.close()
        return result as PostgresQueryResult<Row>
      } catch (error) {
        if (error instanceof pg.DatabaseError) breaker.close()
        if (saysReadTimeout(error)) {
          // The statement is still running on this connection, so no one else may use it.
          broken = true
          cutConnection(client)
          // With a shortened timeout the server may only be slow.
          if (limit === undefined) openBreaker()
        }
        throw error
      }
    }

    function query<Row>(
      text: string,
      values?: readonly unknown[],
    ): Promise<PostgresQueryResult<Row>>
    function query<Stream extends pg.Submittable>(stream: Stream): Stream
    function query(what: string | pg.Submittable, values?: readonly unknown[]) {
      return typeof what === 'string' ? run(what, values) : client.query(what)
    }

    return { query, release: (destroy = false) => client.release(destroy || broken) }
  }

  function openBreaker(): void {
    breaker.open()
    // They lead to the same silent server. The next attempt uses a new connection.
    for (const client of idle) cutConnection(client)
    idle.clear()
  }

  async function query<Row = pg.QueryResultRow>(text: string, values?: readonly unknown[]) {
    const connection = await connect()
    try {
      return await connection.query<Row>(text, values)
    } finally {
      connection.release()
    }
  }

  return {
    options: pool.options,
    connect,
    query,
    end: async () => {
      if (!pool.ending) await pool.end()
    },
    get totalCount() {
      return pool.totalCount
    },
    get idleCount() {
      return pool.idleCount
    },
    get waitingCount() {
      return pool.waitingCount
    },
  }
}

/** The driver tells its timeouts apart by their texts alone. */
function saysConnectTimeout(error: unknown): boolean {
  return (
    error instanceof Error && error.message === 'Connection terminated due to connection timeout'
  )
}

function saysReadTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout'
}
