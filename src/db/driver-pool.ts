import pg from 'pg'
import { Client, destroyConnection, toClientConfig } from './client.ts'
import { createConnectionCheck, type Identity } from './connection-check.ts'

const CONNECT_TIMEOUT_MS = 5000
/** Long enough for a server that is busy or suspended for a moment. */
const QUERY_TIMEOUT_MS = 30_000

type Options = {
  name: string
  max: number
  /** Rejects connections to the database of another installation. */
  instance?: Identity
}

export type DriverPool = pg.Pool & {
  /** Closes all connections immediately, even those whose server does not respond. */
  destroy(): void
}

/** Opens one of the driver's own pools, which graphile-worker requires. */
export function openDriverPool(url: string, { name, max, instance }: Options): DriverPool {
  const { require, check } = createConnectionCheck()
  if (instance) require(instance)
  const pool = new pg.Pool({
    ...toClientConfig({
      url,
      name,
      connectTimeout: CONNECT_TIMEOUT_MS,
      queryTimeout: QUERY_TIMEOUT_MS,
    }),
    Client,
    max,
    onConnect: (client) => check(client, CONNECT_TIMEOUT_MS),
  })
  // A broken connection emits these events and also fails the query. Without listeners, the events
  // would end the process.
  pool.on('error', () => {})
  const clients = new Set<pg.PoolClient>()
  pool.on('connect', (client) => {
    client.on('error', () => {})
    clients.add(client)
  })
  pool.on('remove', (client) => clients.delete(client))
  return Object.assign(pool, { destroy: () => clients.forEach(destroyConnection) })
}
