import { CompiledQuery } from 'kysely'
import type { Db } from './pool.ts'
import { nameStatement } from './statement-names.ts'

/**
 * Runs a statement that is planned once on each connection and not each time, and gives its rows: for
 * those that are run often and whose planning takes as long as their work. One that gives `*` must not
 * be among them, since it fails from the moment a newer program's migration adds a column.
 */
export async function runPrepared<Row>(db: Db, query: CompiledQuery<Row>): Promise<Row[]> {
  nameStatement(query.sql)
  return (await db.executeQuery(query)).rows
}

/** The same for a statement that is written out, with `$1` and so on for its parameters. */
export function preparedText<Row>(text: string) {
  nameStatement(text)
  return async (db: Db, parameters: unknown[]): Promise<Row[]> => {
    const query = CompiledQuery.raw(text, parameters) as CompiledQuery<Row>
    return (await db.executeQuery(query)).rows
  }
}
