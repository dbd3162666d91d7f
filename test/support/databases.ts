import pg from 'pg'
import { inject } from 'vitest'

/** The connections of this process for creating and dropping databases, by server. */
const adminPools = new Map<string, pg.Pool>()

/**
 * Creates a database as a copy of `template`, which must have no connections. Default: empty.
 * `options` are those of `create database`.
 */
export async function createDatabase(
  serverUrl: string,
  name: string,
  template = 'template1',
  options = inject('cloning'),
): Promise<void> {
  const statement = `create database ${name} template ${template} ${options}`
  for (let attempt = 1; ; attempt += 1) {
    try {
      await getAdminPool(serverUrl).query(statement)
      return
    } catch (error) {
      // Copying needs exclusive access to the template, which other test files use as well.
      const isTemplateInUse = (error as { code?: string }).code === '55006'
      if (!isTemplateInUse || attempt === 50) throw error
      await new Promise((resolve) => setTimeout(resolve, 20 * attempt))
    }
  }
}

/** Drops a database, closing its connections. */
export async function dropDatabase(serverUrl: string, name: string): Promise<void> {
  await getAdminPool(serverUrl).query(`drop database if exists ${name} with (force)`)
}

/** Returns the pool of a server. It is kept for the next test file, because connecting is expensive. */
function getAdminPool(serverUrl: string): pg.Pool {
  const known = adminPools.get(serverUrl)
  if (known) return known
  const pool = new pg.Pool({
    connectionString: serverUrl,
    max: 1,
    idleTimeoutMillis: 0,
    allowExitOnIdle: true,
  })
  // The server stops before this process ends.
  pool.on('error', () => {})
  adminPools.set(serverUrl, pool)
  return pool
}
