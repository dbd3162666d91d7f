import { Kysely, PostgresDialect } from 'kysely'
import type { Db } from '../../src/db/pool.ts'
import type { DB } from '../../src/db/tables.generated.ts'

/** Creates a database that sends no statements: `selectRows` returns the rows for their parameters. */
export function createMockDatabase(selectRows: (parameters: readonly unknown[]) => object[]): Db {
  const query = async (_text: string, parameters: readonly unknown[] = []) => {
    const rows = selectRows(parameters)
    return { command: 'SELECT', rowCount: rows.length, rows }
  }
  const connection = { query, release() {} } as never
  const pool = { options: {}, connect: async () => connection, end: async () => {} }
  return new Kysely<DB>({ dialect: new PostgresDialect({ pool }) })
}
