import pg from 'pg'
import { cutConnection } from '../db/pool.ts'

/** What the text of values depends on, and limits that a long copy must not meet. */
const SETTINGS = [
  `datestyle = 'ISO'`,
  `intervalstyle = 'postgres'`,
  `timezone = 'UTC'`,
  `bytea_output = 'hex'`,
  'extra_float_digits = 3',
  'statement_timeout = 0',
  'idle_in_transaction_session_timeout = 0',
]

/**
 * Runs `work` on a connection of its own. It is cut when the work fails, since a COPY may be in the
 * middle of it.
 */
export async function inSession<T>(
  databaseUrl: string,
  name: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: `brevis ${name}`,
    keepAlive: true,
  })
  // A connection that breaks raises this besides failing the query; unheard it ends the process.
  client.on('error', () => {})
  await client.connect()
  try {
    const result = await work(client)
    await client.end()
    return result
  } catch (error) {
    cutConnection(client)
    throw error
  }
}

/** Begins a transaction in which values are written and read in one way everywhere. */
export async function begin(client: pg.ClientBase, mode = ''): Promise<void> {
  await client.query(`begin ${mode}`)
  for (const setting of SETTINGS) await client.query(`set local ${setting}`)
}
