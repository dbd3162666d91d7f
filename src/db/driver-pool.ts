import pg from 'pg'
import { Client, toClientConfig } from './client.ts'

const CONNECT_TIMEOUT_MS = 5000

/** Opens one of the driver's own pools, which graphile-worker requires. */
export function openDriverPool(url: string, { name, max }: { name: string; max: number }): pg.Pool {
  const pool = new pg.Pool({
    ...toClientConfig({ url, name, connectTimeout: CONNECT_TIMEOUT_MS }),
    Client,
    max,
  })
  // A broken connection emits these events and also fails the query. Without listeners, the events
  // would end the process.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}
