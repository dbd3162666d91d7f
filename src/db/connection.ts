import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely'
import type pg from 'pg'
import { type ClientOptions, withClient } from './client.ts'
import type { Database, Db } from './pool.ts'
import type { Schema } from './schema.ts'

/** One connection. Who has it asks one thing after the other. */
export type Connection<Handle extends Db = Db> = {
  db: Handle
  /** Runs a COPY of pg-copy-streams, within the transaction that `db` is in. */
  copy<Stream extends pg.Submittable>(stream: Stream): Stream
}

/** A connection of a pool, which its holder gives back, or destroys if it may be in any state. */
export type HeldConnection = Connection & { release(destroy?: boolean): void }

/**
 * Runs `work` on one connection: of a database that is open, or a new one to an address, which has no
 * limits of time unless they are given. After a `work` that throws, the connection is destroyed.
 */
export async function withConnection<T>(
  to: Pick<Database, 'pool'> | ClientOptions,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  if ('pool' in to) return withPooled(to, work)
  return withClient(to, (client) => work(connectionOn(client)))
}

async function withPooled<T>(
  database: Pick<Database, 'pool'>,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await holdConnection(database)
  try {
    const result = await work(connection)
    connection.release()
    return result
  } catch (error) {
    connection.release(true)
    throw error
  }
}

/** A connection for longer than one piece of work. */
export async function holdConnection({ pool }: Pick<Database, 'pool'>): Promise<HeldConnection> {
  const connection = await pool.connect()
  return {
    ...connectionOn(connection),
    release: (destroy) => connection.release(destroy),
  }
}

/** What both a client of the driver and a connection of the pool can be asked. */
type Asked = { query: PostgresPoolClient['query'] & Connection['copy'] }

function connectionOn(client: Asked): Connection {
  const only = { query: client.query.bind(client), release() {} }
  const pool = { options: {}, connect: async () => only, end: async () => {} }
  return {
    db: new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) }),
    copy: (stream) => client.query(stream),
  }
}
