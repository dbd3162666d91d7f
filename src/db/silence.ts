import type pg from 'pg'
import { AppError } from '../errors.ts'

/** Milliseconds for which a silent server is left alone, and after which one caller tries it again. */
const REST = 500

type Connected = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (release?: unknown) => void,
) => void

/**
 * Has the pool refuse callers at once, as AppError `database_unavailable`, while its server says
 * nothing. A frozen server or a broken network hangs up on nobody, so that every caller would wait
 * for a timeout of its own, and for those before it where all connections hang. From the first
 * timeout on only one caller in each `REST` gets through; the first new connection ends it.
 *
 * Gives the function to call when a query has had no answer.
 */
export function refuseWhileSilent(
  pool: pg.Pool,
  cut: (client: pg.PoolClient) => void,
  monotonic = () => performance.now(),
): () => void {
  const idle = new Set<pg.PoolClient>()
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
    if (silent) {
      const now = monotonic()
      if (now < nextTryAt) {
        callback(new AppError('database_unavailable'), undefined, () => {})
        return
      }
      nextTryAt = now + REST
    }
    connect((error, client, done) => {
      if (error?.message === 'Connection terminated due to connection timeout') heardNothing()
      callback(error, client, done)
    })
  }

  pool.connect = ((callback?: Connected) => {
    if (callback) return acquire(callback)
    return new Promise<pg.PoolClient>((resolve, reject) => {
      acquire((error, client) => (client ? resolve(client) : reject(error)))
    })
  }) as typeof pool.connect
  return heardNothing
}
