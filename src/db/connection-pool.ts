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

/** Milliseconds that a server which is there has to end a statement before this side gives it up. */
const HEAD_START = 100
/** Milliseconds of waiting for a connection that are not taken off the time for a query. */
const GRACE = 200

/**
 * The driver's pool behind a circuit breaker. Whoever has waited for a connection waits that much less
 * for the answer to a query, so that the two together stay within what a caller can bear. Statements
 * that have a name are sent by it.
 */
export function createConnectionPool(options: PoolOptions): ConnectionPool {
  const { max, queryTimeout, onError } = options
  const breaker = createCircuitBreaker()
  const idle = new Set<pg.PoolClient>()
  const pool = new pg.Pool({
    ...clientConfig(options),
    Client,
    max,
    statement_timeout: Math.max(0, queryTimeout - HEAD_START) || undefined,
  })
  // An idle connection that breaks raises this event; without a listener it would end the process.
  pool.on('error', onError)
  pool.on('connect', () => breaker.reset())
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
      if (saysConnectTimeout(error)) trip()
      throw error
    }
  }

  /** Milliseconds for a query of who has waited so long for the connection; undefined for all. */
  function limitAfter(waited: number): number | undefined {
    if (queryTimeout === 0 || waited <= GRACE) return undefined
    return Math.max(GRACE, queryTimeout + GRACE - waited)
  }

  function lend(client: pg.PoolClient, limit: number | undefined): PooledConnection {
    let broken = false

    async function run<Row>(text: string, values?: readonly unknown[]) {
      const query = { name: nameOf(text), text, values: values?.slice(), query_timeout: limit }
      try {
        const result = await client.query<Row & pg.QueryResultRow>(query)
        return result as PostgresQueryResult<Row>
      } catch (error) {
        if (saysReadTimeout(error)) {
          // The statement still runs on this connection, which nobody else may be given.
          broken = true
          cutConnection(client)
          // With a shorter limit than others have, the server may only be slow.
          if (limit === undefined) trip()
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

  function trip(): void {
    breaker.trip()
    // They lead to the same server, and the next caller is to find out whether it answers again.
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
