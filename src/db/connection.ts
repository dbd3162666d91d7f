import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely'
import type pg from 'pg'
import { type ClientOptions, withClient } from './client.ts'
import type { Database, Db } from './pool.ts'
import type { DB } from './tables.generated.ts'

/** A single connection. The caller runs one statement at a time. */
export type Connection<Handle extends Db = Db> = {
  db: Handle
  /** Runs a COPY stream of pg-copy-streams in the transaction of `db`. */
  copy<Stream extends pg.Submittable>(stream: Stream): Stream
}

/** A pooled connection. The caller must release it, or destroy it if its state is unknown. */
export type HeldConnection = Connection & { release(destroy?: boolean): void }

/**
 * Runs `work` on one connection, either of an open database or a new one. By default, a new
 * connection has no timeouts. If `work` throws, the connection is destroyed.
 */
export async function withConnection<T>(
  source: Pick<Database, 'pool'> | ClientOptions,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  if ('pool' in source) return withPooled(source, work)
  return withClient(source, (client) => work(toConnection(client)))
}

async function withPooled<T>(
  database: Pick<Database, 'pool'>,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await acquireConnection(database)
  try {
    const result = await work(connection)
    connection.release()
    return result
  } catch (error) {
    connection.release(true)
    throw error
  }
}

/** Returns a connection that stays open until it is released. */
export async function acquireConnection({ pool }: Pick<Database, 'pool'>): Promise<HeldConnection> {
  const connection = await pool.connect()
  return {
    ...toConnection(connection),
    release: (destroy) => connection.release(destroy),
  }
}

/** The interface that a driver client and a pooled connection have in common. */
type QueryClient = { query: PostgresPoolClient['query'] & Connection['copy'] }

function toConnection(client: QueryClient): Connection {
  const onlyClient = { query: client.query.bind(client), release() {} }
  const pool = { options: {}, connect: async () => onlyClient, end: async () => {} }
  return {
    db: new Kysely<DB>({ dialect: new PostgresDialect({ pool }) }),
    copy: (stream) => client.query(stream),
  }
}
