import type pg from 'pg'
import { AppError } from '../errors.ts'

/** Milliseconds for which a silent server is left alone, and after which one caller tries it again. */
const REST = 500
/** Milliseconds of waiting for a connection that are not taken off the time for a query. */
const GRACE = 200

type Connected = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (release?: unknown) => void,
) => void

type Options = {
  /** Milliseconds that a query may take when its connection was there at once; 0 for no limit. */
  queryTimeout: number
  cut: (client: pg.PoolClient) => void
  monotonic?: () => number
}

/**
 * Has the pool refuse callers at once, as AppError `database_unavailable`, while its server says
 * nothing. A frozen server or a broken network hangs up on nobody, so that every caller would wait
 * for a timeout of its own, and for those before it where all connections hang. From the first
 * timeout on only one caller in each `REST` gets through; the first new connection ends it. Until
 * then, whoever has waited for a connection waits that much less for the answer to a query.
 *
 * Gives the function to call when a query on a connection has had no answer.
 */
export function createCircuitBreaker(
  pool: pg.Pool,
  { queryTimeout, cut, monotonic = () => performance.now() }: Options,
): (client: pg.PoolClient) => void {
  const idle = new Set<pg.PoolClient>()
  const limits = new WeakMap<pg.PoolClient, number>()
  const connect = pool.connect.bind(pool) as (callback: Connected) => void
  let silent = false
  let nextTryAt = 0

  pool.on('connect', () => {
    silent = false
  })
  pool.on('acquire', (client) => idle.delete(client))
  pool.on('release', (_error, client) => idle.add(client))
  pool.on('remove', (client) => idle.delete(client))

  function heardNothing(): void {
    silent = true
    nextTryAt = monotonic() + REST
    // They lead to the same server, and the next caller is to find out whether it answers again.
    for (const client of idle) cut(client)
    idle.clear()
  }

  function acquire(callback: Connected): void {
    const begun = monotonic()
    if (silent) {
      if (begun < nextTryAt) {
        callback(new AppError('database_unavailable'), undefined, () => {})
        return
      }
      nextTryAt = begun + REST
    }
    connect((error, client, done) => {
      if (error?.message === 'Connection terminated due to connection timeout') heardNothing()
      if (client && queryTimeout > 0) limit(client, monotonic() - begun)
      callback(error, client, done)
    })
  }

  function limit(client: pg.PoolClient, waited: number): void {
    const milliseconds = waited <= GRACE ? queryTimeout : queryTimeout + GRACE - waited
    if ((limits.get(client) ?? queryTimeout) === milliseconds) return
    limits.set(client, milliseconds)
    const { connectionParameters } = client as unknown as {
      connectionParameters: { query_timeout: number }
    }
    connectionParameters.query_timeout = Math.max(GRACE, milliseconds)
  }

  pool.connect = ((callback?: Connected) => {
    if (callback) return acquire(callback)
    return new Promise<pg.PoolClient>((resolve, reject) => {
      acquire((error, client) => (client ? resolve(client) : reject(error)))
    })
  }) as typeof pool.connect

  return (client) => {
    // With a shorter limit than others have, the server may only be slow.
    if ((limits.get(client) ?? queryTimeout) === queryTimeout) heardNothing()
  }
}
