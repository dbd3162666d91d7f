import type { CompiledQuery } from 'kysely'
import type pg from 'pg'
import type { Db } from './pool.ts'

/** Every name keeps a plan on every connection, so texts that vary must not grow without bound. */
const MAX = 200
const names = new Map<string, string>()

/**
 * Runs a statement that is planned once on each connection and not each time, and gives its rows: for
 * those that are run often and whose planning takes as long as their work. One that gives `*` must not
 * be among them, since it fails from the moment a newer program's migration adds a column.
 */
export async function runPrepared<Row>(db: Db, query: CompiledQuery<Row>): Promise<Row[]> {
  if (!names.has(query.sql) && names.size < MAX) names.set(query.sql, `brevis_${names.size}`)
  return (await db.executeQuery(query)).rows
}

/** Makes a connection run such statements by their names. */
export function runByName(client: pg.ClientBase): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown
  client.query = ((...args: unknown[]) => {
    const [text, values, ...rest] = args
    const name = typeof text === 'string' ? names.get(text) : undefined
    return name === undefined ? query(...args) : query({ name, text, values }, ...rest)
  }) as typeof client.query
}
