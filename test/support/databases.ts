import pg from 'pg'
import { inject } from 'vitest'

/** The connections of this process on which databases are made and dropped, by server. */
const admins = new Map<string, pg.Pool>()

/** Makes a database as a copy of `template`, which nobody may be connected to, or an empty one. */
export async function createDatabase(
  serverUrl: string,
  name: string,
  template = 'template1',
): Promise<void> {
  const statement = `create database ${name} template ${template} ${inject('cloning')}`
  for (let attempt = 1; ; attempt += 1) {
    try {
      await adminOf(serverUrl).query(statement)
      return
    } catch (error) {
      // Copying needs the template to itself for a moment, and the other test files want it as well.
      const busy = (error as { code?: string }).code === '55006'
      if (!busy || attempt === 50) throw error
      await new Promise((resolve) => setTimeout(resolve, 20 * attempt))
    }
  }
}

/** Drops a database, whoever is connected to it. */
export async function dropDatabase(serverUrl: string, name: string): Promise<void> {
  await adminOf(serverUrl).query(`drop database if exists ${name} with (force)`)
}

/** It is kept from file to file: there are some three hundred, and a connection is dear. */
function adminOf(serverUrl: string): pg.Pool {
  const known = admins.get(serverUrl)
  if (known) return known
  const pool = new pg.Pool({
    connectionString: serverUrl,
    max: 1,
    idleTimeoutMillis: 0,
    allowExitOnIdle: true,
  })
  // The server ends before this process does.
  pool.on('error', () => {})
  admins.set(serverUrl, pool)
  return pool
}
