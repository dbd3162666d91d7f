import pg from 'pg'
import { Client, toClientConfig } from './client.ts'
import { createConnectionCheck, type Identity } from './connection-check.ts'

const CONNECT_TIMEOUT_MS = 5000

type Options = {
  name: string
  max: number
  /** Rejects connections to the database of another installation. */
  instance?: Identity
}

/** Opens one of the driver's own pools, which graphile-worker requires. */
export function openDriverPool(url: string, { name, max, instance }: Options): pg.Pool {
  const { require, check } = createConnectionCheck()
  if (instance) require(instance)
  const pool = new pg.Pool({
    ...toClientConfig({ url, name, connectTimeout: CONNECT_TIMEOUT_MS }),
    Client,
    max,
    onConnect: (client) => check(client, CONNECT_TIMEOUT_MS),
  })
  // A broken connection emits these events and also fails the query. Without listeners, the events
  // would end the process.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}
