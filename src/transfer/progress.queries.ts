import { type Selectable, sql } from 'kysely'
import { own } from '../db/account-rows.ts'
import type { Db } from '../db/pool.ts'
import type { Imports } from '../db/tables.generated.ts'
import type { Tx } from '../db/transaction.ts'
import type { Problem } from '../errors.ts'
import type { AccountScope } from '../scope.ts'
import { isTextKey } from '../texts.ts'
import type { Progress, RowProblem } from './progress.ts'
import type { Source } from './record.ts'

export type ImportState = Selectable<Imports>['state']

export type ImportRow = {
  id: number
  source: Source
  name: string
  options: Record<string, string>
  state: ImportState
  /** The page at which to resume, or null for the first one. */
  page: string | null
  /** The number of rows processed. */
  rows: number
  /** The total number of rows, if it is known. */
  expected: number | null
  counts: Record<string, number>
  problem: Problem | null
  startedAt: Date
  updatedAt: Date
  finishedAt: Date | null
  /** Whether the import runs in the background. */
  background: boolean
  /** Whether it is a dry run. */
  dryRun: boolean
  /** The size of the uploaded file in bytes, and the number of bytes that have been read. */
  size: number | null
  bytesRead: number
  /** The start of the current run, and the number of rows before it. */
  runAt: Date | null
  runRows: number
  /** The columns or fields of the source that are not used. */
  unused: readonly string[]
}

/** The maximum number of problems stored per import. Additional ones are only counted. */
const MAX_PROBLEMS = 100_000

const COLUMNS = [
  'id',
  'source',
  'name',
  'options',
  'state',
  'page',
  'rows',
  'expected',
  'counts',
  'problem',
  'started_at as startedAt',
  'updated_at as updatedAt',
  'finished_at as finishedAt',
  'background',
  'dry_run as dryRun',
  'size',
  'bytes_read as bytesRead',
  'run_at as runAt',
  'run_rows as runRows',
  'unused',
] as const

/** Creates an import and returns its id. */
export async function insertImport(
  db: Db,
  values: {
    accountId: number
    source: Source
    name: string
    options: Record<string, string>
    state: ImportState
    background?: boolean
    dryRun?: boolean
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
      background: values.background ?? false,
      dry_run: values.dryRun ?? false,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Returns the account's last import of this source and name if it was interrupted. */
export async function findUnfinishedImport(
  scope: AccountScope,
  source: Source,
  name: string,
): Promise<ImportRow | undefined> {
  const row = await own(scope)
    .selectFrom('imports')
    .select(COLUMNS)
    .where('source', '=', source)
    .where('name', '=', name)
    .where('background', '=', false)
    .where('dry_run', '=', false)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && (row.state === 'running' || row.state === 'failed') ? toImport(row) : undefined
}

export async function findImport(scope: AccountScope, id: number): Promise<ImportRow | undefined> {
  const row = await own(scope)
    .selectFrom('imports')
    .select(COLUMNS)
    .where('id', '=', id)
    .executeTakeFirst()
  return row && toImport(row)
}

/** Returns the account's most recent imports, newest first, without dry runs of commands. */
export async function listImports(scope: AccountScope, limit: number): Promise<ImportRow[]> {
  const rows = await own(scope)
    .selectFrom('imports')
    .select(COLUMNS)
    .where((eb) => eb.or([eb('background', '=', true), eb('dry_run', '=', false)]))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(toImport)
}

/**
 * Updates the progress of an import. Undefined values are not changed. Returns false if the import
 * is in none of the states `from`, or was claimed again after `lease`.
 */
export async function updateImport(
  db: Db,
  id: number,
  { state, page, rows, expected, size, counts, problem, finishedAt, unused }: Partial<ImportRow>,
  { from, lease }: { from?: readonly ImportState[]; lease?: Date | undefined } = {},
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('imports')
    .set({
      ...(state && { state }),
      ...(page !== undefined && { page }),
      ...(rows !== undefined && { rows }),
      ...(expected !== undefined && { expected }),
      ...(size !== undefined && { size }),
      ...(counts && { counts: JSON.stringify(counts) }),
      ...(problem !== undefined && { problem: problem && serializeProblem(problem) }),
      ...(finishedAt !== undefined && { finished_at: finishedAt }),
      ...(unused && { unused: unused.map(toStorableText) }),
      updated_at: sql<Date>`now()`,
    })
    .where('id', '=', id)
    .$if(from !== undefined, (query) => query.where('state', 'in', from ?? []))
    .$if(lease !== undefined, (query) => query.where('run_at', '=', lease ?? null))
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

export async function deleteImport(db: Db, id: number): Promise<void> {
  await db.deleteFrom('imports').where('id', '=', id).execute()
}

/** Deletes all of an account's imports except the most recent ones. */
export async function trimImports(scope: AccountScope, maxCount: number): Promise<void> {
  await own(scope)
    .deleteFrom('imports')
    .where('state', 'not in', ['uploading', 'waiting', 'checking', 'running'])
    .where('id', '<=', ({ selectFrom }) =>
      selectFrom('imports')
        .select('id')
        .where('account_id', '=', scope.accountId)
        .orderBy('id', 'desc')
        .offset(maxCount)
        .limit(1),
    )
    .execute()
}

/** A stored problem of a row. A notice is about a link that was created without a value. */
export type StoredProblem = RowProblem & { id: number; isNotice: boolean }

/**
 * Stores the problems and notices of a batch in the order of the rows. `storedCount` is their number
 * in earlier batches.
 */
export async function addProblems(
  tx: Tx,
  importId: number,
  { problems, notices }: Pick<Progress, 'problems' | 'notices'>,
  storedCount: number,
): Promise<void> {
  const all = [
    ...problems.map((each) => ({ ...each, isNotice: false })),
    ...notices.map((each) => ({ ...each, isNotice: true })),
  ].sort((first, second) => first.row - second.row)
  const stored = all.slice(0, Math.max(0, MAX_PROBLEMS - storedCount))
  if (stored.length === 0) return
  const rows = stored.map(({ row }) => row)
  const aliases = stored.map(({ alias }) => toStorableText(alias))
  const texts = stored.map(({ problem }) => serializeProblem(problem))
  const flags = stored.map(({ isNotice }) => isNotice)
  await tx
    .insertInto('import_problems')
    .columns(['import_id', 'row', 'alias', 'problem', 'is_notice', 'account_id'])
    .expression(
      sql`select ${importId}::bigint, row, alias, problem, is_notice,
          (select account_id from imports where id = ${importId})
        from unnest(${rows}::bigint[], ${aliases}::text[], ${texts}::text[], ${flags}::boolean[])
          with ordinality n (row, alias, problem, is_notice, position)
        order by position`,
    )
    .execute()
}

export async function deleteProblems(db: Db, importId: number): Promise<void> {
  await db.deleteFrom('import_problems').where('import_id', '=', importId).execute()
}

/** Returns the problems and notices of an import after one of them, in the order of the rows. */
export async function listProblems(
  db: Db,
  importId: number,
  { after, limit, isNotice }: { after: number; limit: number; isNotice?: boolean | undefined },
): Promise<StoredProblem[]> {
  const rows = await db
    .selectFrom('import_problems')
    .select(['id', 'row', 'alias', 'problem', 'is_notice as isNotice'])
    .where('import_id', '=', importId)
    .where('id', '>', after)
    .$if(isNotice !== undefined, (query) => query.where('is_notice', '=', isNotice ?? false))
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map((row) => ({ ...row, problem: parseProblem(row.problem) }))
}

type StoredImport = Omit<ImportRow, 'source' | 'problem'> & {
  source: string
  problem: string | null
}

function toImport({ source, problem, ...row }: StoredImport): ImportRow {
  return {
    ...row,
    source: source as Source,
    problem: problem === null ? null : parseProblem(problem),
  }
}

/** The maximum length of a stored text or argument. */
const MAX_LENGTH = 300
/** How a stored problem begins that is not plain text. */
const START = '{"key":"'

/** Returns a problem as text to store: its key and arguments as JSON, so that it can be translated. */
export function serializeProblem(problem: Problem): string {
  if (typeof problem === 'string') return toStorableText(problem)
  return JSON.stringify(problem, (_, value: unknown) =>
    typeof value === 'string' ? toStorableText(value) : value,
  )
}

/** Returns a stored problem. Plain text is returned as it is. */
export function parseProblem(text: string): Problem {
  if (!text.startsWith(START)) return text
  const problem = JSON.parse(text)
  return isTextKey(problem.key) ? problem : text
}

/** Returns text that PostgreSQL can store, truncated to the maximum length. */
function toStorableText(text: string): string {
  return text.replaceAll('\0', '\ufffd').toWellFormed().slice(0, MAX_LENGTH).toWellFormed()
}
