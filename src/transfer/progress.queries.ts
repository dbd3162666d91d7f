import { sql } from 'kysely'
import type { Db } from '../db/pool.ts'
import type { ImportState } from '../db/schema.ts'
import type { Tx } from '../db/transaction.ts'
import type { Source } from './record.ts'

export type ImportRow = {
  id: number
  source: Source
  name: string
  options: Record<string, string>
  state: ImportState
  page: string | null
  rows: number
  expected: number | null
  counts: Record<string, number>
  problem: string | null
  startedAt: Date
  updatedAt: Date
  finishedAt: Date | null
}

export type RowProblem = { row: number; alias: string; problem: string }

/** Problems that an import keeps; more of them are only counted. */
const MOST_PROBLEMS = 100_000
/** Characters of a problem and of an alias that are kept. */
const LONGEST = 300

const COLUMNS = [
  ...(['id', 'source', 'name', 'options', 'state', 'page', 'rows', 'expected'] as const),
  ...(['counts', 'problem', 'started_at', 'updated_at', 'finished_at'] as const),
] as const

/** Begins an import; gives its number. */
export async function insertImport(
  db: Db,
  values: {
    accountId: number
    source: Source
    name: string
    options: Record<string, string>
    state: ImportState
  },
): Promise<number> {
  const { id } = await db
    .insertInto('imports')
    .values({
      account_id: values.accountId,
      source: values.source,
      name: values.name,
      options: JSON.stringify(values.options),
      state: values.state,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** The account's last import of this source and name, if it was cut off. */
export async function findUnfinished(
  db: Db,
  accountId: number,
  source: Source,
  name: string,
): Promise<ImportRow | undefined> {
  const row = await db
    .selectFrom('imports')
    .select(COLUMNS)
    .where('account_id', '=', accountId)
    .where('source', '=', source)
    .where('name', '=', name)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && (row.state === 'running' || row.state === 'failed') ? toImport(row) : undefined
}

export async function findImport(
  db: Db,
  accountId: number,
  id: number,
): Promise<ImportRow | undefined> {
  const row = await db
    .selectFrom('imports')
    .select(COLUMNS)
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row && toImport(row)
}

/** The account's last imports, newest first. */
export async function listImports(db: Db, accountId: number, limit: number): Promise<ImportRow[]> {
  const rows = await db
    .selectFrom('imports')
    .select(COLUMNS)
    .where('account_id', '=', accountId)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(toImport)
}

/** Says how far an import is; what is not given stays. */
export async function updateImport(
  db: Db,
  id: number,
  { state, page, rows, expected, counts, problem, finishedAt }: Partial<ImportRow>,
): Promise<void> {
  await db
    .updateTable('imports')
    .set({
      ...(state && { state }),
      ...(page !== undefined && { page }),
      ...(rows !== undefined && { rows }),
      ...(expected !== undefined && { expected }),
      ...(counts && { counts: JSON.stringify(counts) }),
      ...(problem !== undefined && { problem }),
      ...(finishedAt !== undefined && { finished_at: finishedAt }),
      updated_at: sql<Date>`now()`,
    })
    .where('id', '=', id)
    .execute()
}

/** Forgets all but the last imports of an account. */
export async function trimImports(db: Db, accountId: number, kept: number): Promise<void> {
  await db
    .deleteFrom('imports')
    .where('account_id', '=', accountId)
    .where('id', '<=', ({ selectFrom }) =>
      selectFrom('imports')
        .select('id')
        .where('account_id', '=', accountId)
        .orderBy('id', 'desc')
        .offset(kept)
        .limit(1),
    )
    .execute()
}

export async function addProblems(
  tx: Tx,
  importId: number,
  problems: readonly RowProblem[],
  before: number,
): Promise<void> {
  const kept = problems.slice(0, Math.max(0, MOST_PROBLEMS - before))
  if (kept.length === 0) return
  const rows = kept.map(({ row }) => row)
  const aliases = kept.map(({ alias }) => clean(alias))
  const texts = kept.map(({ problem }) => clean(problem))
  await tx
    .insertInto('import_problems')
    .columns(['import_id', 'row', 'alias', 'problem'])
    .expression(
      sql`select ${importId}::bigint, * from unnest(${rows}::bigint[], ${aliases}::text[],
        ${texts}::text[])`,
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function forgetProblems(db: Db, importId: number): Promise<void> {
  await db.deleteFrom('import_problems').where('import_id', '=', importId).execute()
}

/** Problems of an import in the order of its rows, those after a row. */
export function listProblems(
  db: Db,
  importId: number,
  after: number,
  limit: number,
): Promise<RowProblem[]> {
  return db
    .selectFrom('import_problems')
    .select(['row', 'alias', 'problem'])
    .where('import_id', '=', importId)
    .where('row', '>', after)
    .orderBy('row')
    .limit(limit)
    .execute()
}

/** Text that PostgreSQL takes, of a bounded length. */
function clean(text: string): string {
  return text.replaceAll('\0', '\ufffd').toWellFormed().slice(0, LONGEST).toWellFormed()
}

function toImport(row: {
  id: number
  source: string
  name: string
  options: Record<string, string>
  state: ImportState
  page: string | null
  rows: number
  expected: number | null
  counts: Record<string, number>
  problem: string | null
  started_at: Date
  updated_at: Date
  finished_at: Date | null
}): ImportRow {
  const { started_at, updated_at, finished_at, source, ...rest } = row
  return {
    ...rest,
    source: source as Source,
    startedAt: started_at,
    updatedAt: updated_at,
    finishedAt: finished_at,
  }
}
