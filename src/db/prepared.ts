import { CompiledQuery } from 'kysely'
import type { Db } from './pool.ts'
import { nameStatement } from './statement-names.ts'

/**
 * Runs a statement as a prepared statement and returns its rows. Use this for frequent statements
 * that take as long to plan as to execute. Do not use it with `*`, because prepared statements fail
 * when a migration adds a column.
 */
export async function runPrepared<Row>(db: Db, query: CompiledQuery<Row>): Promise<Row[]> {
  nameStatement(query.sql)
  return (await db.executeQuery(query)).rows
}

/** Prepares a statement in text form, with parameters `$1`, `$2` and so on. */
export function prepareStatement<Row>(text: string) {
  nameStatement(text)
  return async (db: Db, parameters: unknown[]): Promise<Row[]> => {
    const query = CompiledQuery.raw(text, parameters) as CompiledQuery<Row>
    return (await db.executeQuery(query)).rows
  }
}
