import { Socket } from 'node:net'
import pg from 'pg'

export type ClientOptions = {
  url: string
  /** Names the connection in pg_stat_activity, after `brevis`. */
  name: string
  /** Milliseconds for a connection, and for the answer to a statement; 0 for no limit. */
  connectTimeout?: number | undefined
  queryTimeout?: number | undefined
  /** Settings of the sessions, by their names. */
  settings?: Readonly<Record<string, string | number>> | undefined
}

const INT8 = 20

/**
 * Has a cluster be asked over one connection for each machine and not one for each shard, of which
 * opening takes longer than any short statement. Without Citus the setting means nothing.
 * https://docs.citusdata.com/en/stable/develop/api_guc.html
 */
export const SHORT_STATEMENTS = { 'citus.max_adaptive_executor_pool_size': 1 } as const

/**
 * Has a cluster change its shards one after the other, in the same order for everybody. It then needs no
 * lock on them, which would last until the end of the transaction, whatever rows it is about.
 * https://docs.citusdata.com/en/stable/develop/api_guc.html
 */
export const ORDERED_WRITES = { 'citus.multi_shard_modify_mode': 'sequential' } as const

/** The driver's client on a socket that is known, so that it can be destroyed. */
export class Client extends pg.Client {
  readonly socket: Socket

  constructor(config: pg.ClientConfig = {}) {
    const socket = new Socket()
    super({ ...config, stream: () => socket })
    this.socket = socket
    // A connection that breaks raises this besides failing the query; without a listener it ends the process.
    this.on('error', () => {})
  }
}

/** What all connections have in common. */
export function clientConfig({
  url,
  name,
  connectTimeout = 0,
  queryTimeout = 0,
  settings = {},
}: ClientOptions): pg.ClientConfig {
  const types = new pg.TypeOverrides()
  // Ids and counters stay below 2^53; only visitor hashes do not, and those are read as text.
  types.setTypeParser(INT8, Number)
  return {
    connectionString: url,
    types,
    application_name: `brevis ${name}`,
    connectionTimeoutMillis: connectTimeout,
    query_timeout: queryTimeout || undefined,
    options: Object.entries({ timezone: 'UTC', ...settings })
      .map(([setting, value]) => `-c ${setting}=${value}`)
      .join(' '),
    keepAlive: true,
  }
}

/** Ends a connection at once, without the farewell that a frozen server would never answer. */
export function cutConnection(client: pg.ClientBase): void {
  if (client instanceof Client) client.socket.destroy()
}

/**
 * Runs `work` on a new connection to an address, which has no limits of time unless they are given. After a
 * `work` that throws, the connection is cut.
 */
export async function withClient<T>(
  to: ClientOptions,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client(clientConfig(to))
  try {
    await client.connect()
    const result = await work(client)
    await client.end()
    return result
  } catch (error) {
    cutConnection(client)
    throw error
  }
}
