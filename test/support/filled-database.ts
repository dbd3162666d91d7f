import { readFile } from 'node:fs/promises'
import pg from 'pg'
import { migrate } from '../../src/db/migrate.ts'
import { emptyDatabase } from './empty-database.ts'
import { run } from './postgres.ts'

/** The first schema that was released. */
export const FIRST_SCHEMA = '0001-schema'

/** A database for one test as the first schema held it, with a row or more in every table. */
export async function filledDatabase(): Promise<string> {
  const url = await emptyDatabase()
  await migrate(url, { upTo: FIRST_SCHEMA })
  const fixture = new URL('./filled-0001.sql', import.meta.url)
  await run(url, [await readFile(fixture, 'utf8')])
  return url
}

/** The same brought up to this program's schema, with rows in the tables that came later as well. */
export async function currentDatabase(): Promise<string> {
  const url = await filledDatabase()
  await migrate(url)
  await run(url, [
    `insert into account_days (account_id, day, clicks, visitors, hours, labels, links)
     select min(id), '2026-11-20', 1, 1, '\\x0001', '\\x0801', '\\x0101' from accounts`,
  ])
  return url
}

/** The rows of every table, as text, in an order of their own. */
export type Content = ReadonlyMap<string, readonly string[]>

/** What a backup keeps of a database, seen `within` a transaction if one is given. */
export async function contentOf(url: string, within?: pg.Client): Promise<Content> {
  const client = within ?? (await connect(url))
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
       and not relispartition and relpersistence = 'p' and relname <> 'migrations' order by 1`,
  )
  const content = new Map<string, string[]>()
  for (const { name } of rows) {
    const found = await client.query<{ row: string }>(`select t::text as row from ${name} t`)
    content.set(name, found.rows.map(({ row }) => row).sort())
  }
  if (!within) await client.end()
  return content
}

export function countAll(content: Content): number {
  return [...content.values()].reduce((sum, rows) => sum + rows.length, 0)
}

export async function rowsOf(url: string, sql: string): Promise<Record<string, unknown>[]> {
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
