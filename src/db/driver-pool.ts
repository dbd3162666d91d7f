import pg from 'pg'
import { Client, clientConfig } from './client.ts'

const CONNECT_TIMEOUT_MS = 5000

/** A pool of the driver itself, as graphile-worker needs one. */
export function openDriverPool(url: string, { name, max }: { name: string; max: number }): pg.Pool {
  const pool = new pg.Pool({
    ...clientConfig({ url, name, connectTimeout: CONNECT_TIMEOUT_MS }),
    Client,
    max,
  })
  // A connection that breaks raises these besides failing the query; without listeners they end the process.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}
