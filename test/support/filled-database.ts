import { readFile } from 'node:fs/promises'
import pg from 'pg'
import { migrate } from '../../src/db/migrate.ts'
import { emptyDatabase } from './empty-database.ts'
import { run } from './postgres.ts'

/** Creates a migrated database with rows in every table for one test. Returns its URL. */
export async function createFilledDatabase(): Promise<string> {
  const url = await emptyDatabase()
  await migrate(url)
  await run(url, [await readFile(new URL('./filled.sql', import.meta.url), 'utf8')])
  return url
}

/** The rows of every table as text, sorted. */
export type Content = ReadonlyMap<string, readonly string[]>

/** Returns the rows that a backup preserves, optionally as seen by the client `transaction`. */
export async function readContent(url: string, transaction?: pg.Client): Promise<Content> {
  const client = transaction ?? (await connect(url))
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
       and not relispartition and relpersistence = 'p' and relname not in ('migrations', 'changes', 'change_feed') order by 1`,
  )
  const content = new Map<string, string[]>()
  for (const { name } of rows) {
    const result = await client.query<{ row: string }>(`select t::text as row from ${name} t`)
    content.set(name, result.rows.map(({ row }) => row).sort())
  }
  if (!transaction) await client.end()
  return content
}

/** Returns the number of rows in all tables. */
export function countContentRows(content: Content): number {
  return [...content.values()].reduce((sum, rows) => sum + rows.length, 0)
}

/** Runs a query on a new connection and returns its rows. */
export async function queryRows(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = await connect(url)
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

export async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return client
}
