import { Socket } from 'node:net'
import pg from 'pg'
import { toConnectionError } from './connection-error.ts'
import { toDriverUrl } from './database-url.ts'

export type ClientOptions = {
  url: string
  /** The suffix of the connection's name in pg_stat_activity, after `brevis`. */
  name: string
  /** Timeouts in milliseconds for connecting, by default ten seconds, and for each query. 0 means none. */
  connectTimeout?: number | undefined
  queryTimeout?: number | undefined
  /** Milliseconds after which the server cancels a statement. */
  statementTimeout?: number | undefined
  /** Session settings by name. */
  settings?: Readonly<Record<string, string | number>> | undefined
}

/** The id of PostgreSQL's type `bigint`. */
const INT8 = 20

/** Without it, commands would wait forever for a server that accepts connections but is frozen. */
const CONNECT_TIMEOUT_MS = 10_000

/**
 * Makes Citus use one connection per machine instead of one per shard, because opening a connection
 * takes longer than a short statement. Ignored without Citus.
 * https://docs.citusdata.com/en/stable/develop/api_guc.html
 */
export const SHORT_STATEMENTS = { 'citus.max_adaptive_executor_pool_size': 1 } as const

/**
 * Makes Citus modify shards sequentially and in the same order for all transactions. Citus then
 * needs no locks on shards, which would last until the end of the transaction, whichever rows it
 * modifies. https://docs.citusdata.com/en/stable/develop/api_guc.html
 */
export const ORDERED_WRITES = { 'citus.multi_shard_modify_mode': 'sequential' } as const

/** The driver's client, with access to its socket so that it can be destroyed. */
export class Client extends pg.Client {
  readonly socket: Socket

  constructor(config: pg.ClientConfig = {}) {
    const socket = new Socket()
    super({ ...config, stream: () => socket })
    this.socket = socket
    // A broken connection emits this event and also fails the query. Without a listener, the event
    // would end the process.
    this.on('error', () => {})
  }
}

/** Returns the settings that all connections have in common. */
export function toClientConfig({
  url,
  name,
  connectTimeout = CONNECT_TIMEOUT_MS,
  queryTimeout = 0,
  statementTimeout = 0,
  settings = {},
}: ClientOptions): pg.ClientConfig {
  const types = new pg.TypeOverrides()
  // Ids and counters stay below 2^53. Visitor hashes do not, so they are read as text.
  types.setTypeParser(INT8, Number)
  return {
    connectionString: toDriverUrl(url),
    types,
    application_name: `brevis ${name}`,
    connectionTimeoutMillis: connectTimeout,
    query_timeout: queryTimeout || undefined,
    statement_timeout: statementTimeout || undefined,
    options: Object.entries({ timezone: 'UTC', ...settings })
      .map(([setting, value]) => `-c ${setting}=${value}`)
      .join(' '),
    keepAlive: true,
  }
}

/**
 * Creates a client, which is not connected yet.
 *
 * @throws ConnectionError if the URL names a certificate that cannot be read
 */
export function openClient(options: ClientOptions): Client {
  try {
    return new Client(toClientConfig(options))
  } catch (error) {
    throw toConnectionError(options.url, error)
  }
}

/**
 * Closes a connection immediately. Sends no terminate message, which a frozen server would never
 * process.
 */
export function destroyConnection(client: pg.ClientBase): void {
  if (client instanceof Client) client.socket.destroy()
}

/** Opens a connection. Throws ConnectionError, which names the database. */
export async function connect(client: Client, url: string): Promise<void> {
  await client.connect().catch((error: unknown) => {
    throw toConnectionError(url, error)
  })
}

/**
 * Runs `work` on a new connection. By default, queries have no timeouts. If `work` throws, the
 * connection is closed immediately.
 */
export async function withClient<T>(
  options: ClientOptions,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = openClient(options)
  try {
    await connect(client, options.url)
    const result = await work(client)
    await client.end()
    return result
  } catch (error) {
    destroyConnection(client)
    throw error
  }
}
