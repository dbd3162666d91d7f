import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely'
import pg from 'pg'
import { onceAMinute } from '../concurrency/memo.ts'
import { AppError } from '../errors.ts'
import { Client, type ClientOptions, destroyConnection, toClientConfig } from './client.ts'
import type { ConnectionCheck } from './connection-check.ts'
import { toConnectionError } from './connection-error.ts'
import { isValueCopy, runValueCopy } from './copy-value.ts'
import { getStatementName } from './statement-names.ts'

/** Milliseconds without queries after a timeout, and between two attempts after that. */
const COOLDOWN_MS = 500

/** A pooled connection. The caller must release it. */
export interface PooledConnection extends PostgresPoolClient {
  query<Row = pg.QueryResultRow>(
    text: string,
    values?: readonly unknown[],
  ): Promise<PostgresQueryResult<Row>>
  /** Runs a COPY stream of pg-copy-streams. */
  query<Stream extends pg.Submittable>(stream: Stream): Stream
  /** Returns the connection to the pool, or destroys it if its state is unknown. */
  release(destroy?: boolean): void
}

/** A pool with the interface that Kysely's dialect requires. */
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
  /** The maximum number of connections. */
  max: number
  queryTimeout: number
  /** Checks each connection before its first use. */
  connectionCheck: ConnectionCheck
  onError: (error: Error) => void
}

/** The server cancels a statement this many milliseconds before the client stops waiting. */
const SERVER_MARGIN_MS = 100
/** Waiting up to this many milliseconds for a connection does not shorten the query timeout. */
const GRACE_MS = 200
/** The minimum timeout in milliseconds of the check of a new connection. */
const MIN_CHECK_MS = 500

/**
 * Creates the driver's pool behind a circuit breaker, which closes with every response.
 * Waiting for a connection shortens the query timeout, so that the total time stays within one
 * limit. Named statements are sent as prepared statements.
 */
export function createConnectionPool(options: PoolOptions): ConnectionPool {
  const { max, connectTimeout = 0, queryTimeout, connectionCheck, onError } = options
  const breaker = createCircuitBreaker()
  const idle = new Set<pg.PoolClient>()
  const pool = new pg.Pool({
    ...toClientConfig({
      ...options,
      statementTimeout: Math.max(0, queryTimeout - SERVER_MARGIN_MS),
    }),
    Client,
    max,
  })
  // A broken idle connection emits this event. Without a listener, it would crash the process. All
  // connections break at the same time, for the same reason.
  pool.on('error', onceAMinute(onError))
  pool.on('acquire', (client) => idle.delete(client))
  pool.on('release', (_error, client) => idle.add(client))
  pool.on('remove', (client) => idle.delete(client))

  async function connect(): Promise<PooledConnection> {
    breaker.enter()
    const startedAt = performance.now()
    const getWaitedMs = () => performance.now() - startedAt
    try {
      const client = await pool.connect()
      await check(client, connectTimeout && Math.max(MIN_CHECK_MS, connectTimeout - getWaitedMs()))
      return toPooledConnection(client, queryTimeoutAfter(getWaitedMs()))
    } catch (error) {
      if (isConnectTimeout(error) || isReadTimeout(error)) openBreaker(startedAt)
      throw toConnectionError(options.url, error)
    }
  }

  async function check(client: pg.PoolClient, timeoutMs: number): Promise<void> {
    try {
      await connectionCheck.check(client, timeoutMs)
    } catch (error) {
      destroyConnection(client)
      client.release(true)
      throw error
    }
  }

  /**
   * Returns the query timeout for a caller that has waited for a connection, or undefined for the
   * default.
   */
  function queryTimeoutAfter(waitedMs: number): number | undefined {
    if (queryTimeout === 0 || waitedMs <= GRACE_MS) return undefined
    return Math.max(GRACE_MS, queryTimeout + GRACE_MS - waitedMs)
  }

  function toPooledConnection(
    client: pg.PoolClient,
    timeoutMs: number | undefined,
  ): PooledConnection {
    let isBroken = false

    async function run<Row>(text: string, values?: readonly unknown[]) {
      const startedAt = performance.now()
      const query = {
        name: getStatementName(text),
        text,
        values: values?.slice(),
        query_timeout: timeoutMs,
      }
      try {
        const result = isValueCopy(text)
          ? await runValueCopy(client, text, timeoutMs)
          : await client.query<Row & pg.QueryResultRow>(query)
        breaker.close()
        return result as unknown as PostgresQueryResult<Row>
      } catch (error) {
        if (error instanceof pg.DatabaseError) breaker.close()
        if (isReadTimeout(error)) {
          // The statement is still running, so the connection cannot be reused.
          isBroken = true
          destroyConnection(client)
          // If the timeout was shortened, the server may just be slow.
          if (timeoutMs === undefined) openBreaker(startedAt)
        }
        throw error
      }
    }

    function query<Row>(
      text: string,
      values?: readonly unknown[],
    ): Promise<PostgresQueryResult<Row>>
    function query<Stream extends pg.Submittable>(stream: Stream): Stream
    function query(statement: string | pg.Submittable, values?: readonly unknown[]) {
      return typeof statement === 'string' ? run(statement, values) : client.query(statement)
    }

    return { query, release: (destroy = false) => client.release(destroy || isBroken) }
  }

  function openBreaker(startedAt: number): void {
    if (!breaker.open(startedAt)) return
    // Idle connections lead to the same unresponsive server, so the next attempt opens a new
    // connection.
    for (const client of idle) destroyConnection(client)
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

/** The driver's timeouts can only be recognized by their messages. */
function isConnectTimeout(error: unknown): boolean {
  return (
    error instanceof Error && error.message === 'Connection terminated due to connection timeout'
  )
}

function isReadTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout'
}

/**
 * Creates a circuit breaker that rejects callers immediately while the server does not respond. A
 * frozen server or a broken network does not close connections, so without it, every caller would
 * wait for a timeout. After a timeout, only one caller per `COOLDOWN_MS` gets through until a query
 * succeeds.
 */
function createCircuitBreaker({ monotonic = () => performance.now() } = {}) {
  let isOpen = false
  let nextAttemptAt = 0
  let respondedAt = -Infinity

  return {
    /**
     * Lets the caller send a query. Throws `database_unavailable` during the cooldown.
     */
    enter(): void {
      if (!isOpen) return
      const now = monotonic()
      if (now < nextAttemptAt) throw new AppError('database_unavailable')
      nextAttemptAt = now + COOLDOWN_MS
    },

    /**
     * Records that an attempt which began at a time of `monotonic` timed out. Returns whether the
     * server did not respond to any other query since: otherwise, it is just busy.
     */
    open(startedAt = monotonic()): boolean {
      if (respondedAt > startedAt) return false
      isOpen = true
      nextAttemptAt = monotonic() + COOLDOWN_MS
      return true
    },

    /** Records a response from the server. Errors count as responses. */
    close(): void {
      isOpen = false
      respondedAt = monotonic()
    },
  }
}
