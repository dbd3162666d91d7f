import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import pg from 'pg'
import { MIGRATION_LOCK } from './lock.ts'

const FOLDER = new URL('../../migrations/', import.meta.url)
const OLDEST_SERVER = 150_000
/** A question is over before whoever asks gives up. */
const QUESTION = { connectionTimeoutMillis: 700, query_timeout: 1000 }

export type Migration = { name: string; sql: string; checksum: string }

/**
 * Brings the database to this program's schema: every file of `migrations/` that is not recorded
 * yet, in order, each in a transaction of its own, under an advisory lock, so that programs which
 * start together take turns. Gives the names applied. With `upTo` it ends after that migration.
 *
 * @throws Error if the server is older than PostgreSQL 15, if the schema is newer than this
 *   program, or if a migration that was applied has been edited since.
 */
export async function migrate(
  databaseUrl: string,
  { upTo }: { upTo?: string | undefined } = {},
): Promise<string[]> {
  return withClient(databaseUrl, {}, async (client) => {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
    await refuseOldServer(client)
    await client.query(
      `create table if not exists migrations (
         name text primary key, checksum text not null, applied_at timestamptz not null default now())`,
    )
    const pending = (await findPending(client)).filter(({ name }) => !upTo || name <= upTo)
    for (const { name, sql, checksum } of pending) {
      await client.query('begin')
      await client.query(sql)
      await client.query('insert into migrations (name, checksum) values ($1, $2)', [
        name,
        checksum,
      ])
      await client.query('commit')
    }
    return pending.map(({ name }) => name)
  })
}

/** The names of the migrations that the database still lacks. Rejects when it says nothing. */
export function pendingMigrations(databaseUrl: string): Promise<string[]> {
  return withClient(databaseUrl, QUESTION, async (client) => {
    const { rows } = await client.query(`select to_regclass('migrations') as found`)
    const pending = rows[0]?.found ? await findPending(client) : await readMigrations()
    return pending.map(({ name }) => name)
  })
}

async function findPending(client: pg.Client): Promise<Migration[]> {
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'select name, checksum from migrations order by name',
  )
  const known = await readMigrations()
  const applied = new Map(rows.map((row) => [row.name, row.checksum]))
  for (const { name } of rows) {
    if (!known.some((migration) => migration.name === name)) {
      throw new Error(`The database is newer than this program: it has migration ${name}.`)
    }
  }
  for (const { name, checksum } of known) {
    if (applied.has(name) && applied.get(name) !== checksum) {
      throw new Error(`Migration ${name} was changed after it had been applied to this database.`)
    }
  }
  return known.filter(({ name }) => !applied.has(name))
}

/** The migrations that this program knows, in order. */
export async function readMigrations(): Promise<Migration[]> {
  const files = (await readdir(FOLDER)).filter((file) => /^\d{4}-.+\.sql$/.test(file)).sort()
  return Promise.all(
    files.map(async (file) => {
      const sql = await readFile(new URL(file, FOLDER), 'utf8')
      const checksum = createHash('sha256').update(sql).digest('hex')
      return { name: file.replace(/\.sql$/, ''), sql, checksum }
    }),
  )
}

async function refuseOldServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ version: number; name: string }>(
    `select current_setting('server_version_num')::int as version,
            current_setting('server_version') as name`,
  )
  const server = rows[0]
  if (server && server.version < OLDEST_SERVER) {
    throw new Error(`PostgreSQL 15 or newer is needed, this server is ${server.name}.`)
  }
}

/** A connection of its own, closed afterwards: closing it also gives the lock back. */
async function withClient<T>(
  url: string,
  limits: Partial<typeof QUESTION>,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'brevis migrate',
    ...limits,
  })
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end().catch(() => {})
  }
}
