import { basename } from 'node:path'
import { sql } from 'kysely'
import type { Context } from '../context.ts'
import { unscoped } from '../db/account-rows.ts'
import { IMPORT_COMMAND_LOCK } from '../db/lock.ts'
import type { Db } from '../db/pool.ts'
import { countRows } from '../db/row-counts.queries.ts'
import { transact } from '../db/transaction.ts'
import { AppError, formatProblem, type Problem, toProblem } from '../errors.ts'
import { type AccountScope, type Scope, scopeOf } from '../scope.ts'
import { readApiPages } from './api-pages.ts'
import { findOwnDomains } from './import.queries.ts'
import { RUNNING_STATES, runImport } from './import.service.ts'
import { TAKEN_ALIAS_POLICIES, type TakenAliasPolicy } from './import-batch.ts'
import * as queries from './progress.queries.ts'
import {
  deleteProblems,
  findImport,
  findUnfinishedImport,
  type ImportRow,
  insertImport,
  listProblems,
  trimImports,
  updateImport,
} from './progress.queries.ts'
import { type Counts, createZeroCounts, type Progress } from './progress.ts'
import type { ClaimedImport } from './queue.queries.ts'
import { parseMapping } from './read/csv-columns.ts'
import {
  createFileOpener,
  type FileOptions,
  isFileSource,
  type OpenFile,
  readFilePages,
} from './read/file.ts'
import { DATE_ORDERS } from './read/moment.ts'
import { type Source, SourceBusyError, SourceError, type SourcePage } from './record.ts'

export type ImportRequest = {
  source: Source
  /** The path of a file, or the URL of an API. */
  from: string
  /** The name of the source in lists. Defaults to `from`. */
  name?: string | undefined
  /** The key of an API. It is not stored. */
  token?: string | undefined
  /** Whether to create a new record even if an import with this name was interrupted. */
  isNew?: boolean
  domain?: string | undefined
  onTaken: TakenAliasPolicy
  dryRun: boolean
} & Pick<FileOptions, 'mapping' | 'ignored' | 'dates'>

/** The input of a background import: its uploaded file, or the key of its source. */
export type ImportInput = { file: OpenFile; token: string | undefined; signal: AbortSignal }

/** The maximum number of imports stored per account. */
const MAX_IMPORTS = 50

/**
 * Claims a source until the connection ends. Otherwise, two commands that import it into the same
 * account would share a record. Returns false if another connection has claimed it.
 */
export async function claimImportSource(
  scope: AccountScope,
  source: Source,
  name: string,
): Promise<boolean> {
  const key = `${scope.accountId} ${source} ${name}`
  const { rows } = await sql<{ claimed: boolean }>`
    select pg_try_advisory_lock(${IMPORT_COMMAND_LOCK}::int, hashtext(${key})) as claimed`.execute(
    unscoped(scope),
  )
  return rows[0]?.claimed ?? false
}

/**
 * Imports links into an account and yields the progress after each batch. An interrupted import is
 * resumed. Repeating an import changes nothing, because rows are identified by source, domain and
 * alias.
 *
 * @throws SourceError if the source cannot be read, AppError `invalid_input` naming `domain`,
 * or `alias_taken` if the policy is `fail`
 */
export async function* importLinks(
  scope: Scope<Context>,
  request: ImportRequest,
  onRead: (bytes: number) => void = () => {},
): AsyncGenerator<Progress & { id: number }, void> {
  const record = await openRecord(scope, request)
  const isKnownHost = await createKnownHosts(scope)
  const readPages = () => {
    const { source, from, mapping, ignored, dates } = request
    const options = { onRead, mapping, ignored, dates, isKnownHost }
    return isFileSource(source)
      ? readFilePages(source, createFileOpener(from), options)
      : readApiPages({ ...request, source }, scope.accountId, record, { outbound: scope.outbound })
  }
  yield* importPages(scope, record, request, readPages)
}

/**
 * Resumes an import that was started in the console and that the caller has claimed. If the signal
 * aborts, everything after the last batch is discarded.
 *
 * @throws SourceBusyError if the import must not be resumed immediately
 */
export async function* resumeImport(
  ctx: Context,
  db: Db,
  claimed: ClaimedImport,
  { file, token, signal }: ImportInput,
): AsyncGenerator<Progress & { id: number }, void> {
  const { id, account_id: accountId, source, name, options, dry_run: dryRun } = claimed
  const record = await findImport({ db, accountId }, id)
  if (!record) throw new AppError('not_found')
  if (!claimed.page) await deleteProblems(db, id)
  const onTaken = TAKEN_ALIAS_POLICIES.find((word) => word === options.onTaken) ?? 'skip'
  const request = { from: name, token, domain: options.domain, onTaken, dryRun }
  const dates = DATE_ORDERS.find((order) => order === options.dates)
  const mapping = parseMapping(options.columns)
  const isKnownHost = await createKnownHosts(scopeOf({ ...ctx, db }, accountId))
  const readPages = () =>
    isFileSource(source)
      ? readFilePages(source, file, { mapping, dates, isKnownHost })
      : readApiPages({ ...request, source }, accountId, record, { outbound: ctx.outbound, signal })
  const leased = { ...record, lease: claimed.run_at }
  yield* importPages(
    scopeOf({ ...ctx, db }, accountId),
    leased,
    { ...request, source },
    readPages,
    signal,
  )
}

/** Returns whether a host is the service's or the account's, so that files may name it. */
async function createKnownHosts(scope: Scope<Context>) {
  const domains = await findOwnDomains(scope)
  return (host: string) => domains.has(host) || scope.hosts.isService(host)
}

/** Returns the number of the account's links. */
export function countLinks(scope: AccountScope): Promise<number> {
  return countRows(unscoped(scope), 'links', scope.accountId)
}

/** Returns an import of the account. @throws AppError `not_found` */
export async function getImport(scope: AccountScope, id: number): Promise<ImportRow> {
  const record = await findImport(scope, id)
  if (!record || (record.dryRun && !record.background)) throw new AppError('not_found')
  return hideFolder(record)
}

/** Lists the account's most recent imports, newest first. */
export async function listImports(scope: AccountScope): Promise<ImportRow[]> {
  return (await queries.listImports(scope, MAX_IMPORTS)).map(hideFolder)
}

/** Removes the folder on the server from the name of a file that a command imports. */
function hideFolder(record: ImportRow): ImportRow {
  const isPath = isFileSource(record.source) && !record.background
  return isPath ? { ...record, name: basename(record.name) } : record
}

/**
 * Yields the rejected rows and the notices of an import, or only one kind of them, reading them as
 * they are consumed.
 *
 * @throws AppError `not_found`
 */
export async function* readProblems(scope: AccountScope, id: number, isNotice?: boolean) {
  if (!(await findImport(scope, id))) throw new AppError('not_found')
  for (let after = -1; ; ) {
    const rows = await listProblems(unscoped(scope), id, { after, limit: 1000, isNotice })
    yield* rows
    const last = rows.at(-1)
    if (!last) return
    after = last.id
  }
}

/** Returns the record of an interrupted import from the same source, or a new record. */
async function openRecord(scope: AccountScope, request: ImportRequest): Promise<ImportRow> {
  const { source, from, name = from, domain = '', onTaken, dryRun, isNew = dryRun } = request
  const state = dryRun ? 'checking' : 'running'
  const options = { domain, onTaken }
  const unfinished = isNew ? undefined : await findUnfinishedImport(scope, source, name)
  const id =
    unfinished?.id ??
    (await insertImport(unscoped(scope), {
      accountId: scope.accountId,
      source,
      name,
      options,
      state,
      dryRun,
    }))
  await trimImports(scope, MAX_IMPORTS)
  // A file is read from the start again, and rows that are already imported are recognized.
  if (!unfinished?.page) await deleteProblems(unscoped(scope), id)
  const counts: Counts = { ...createZeroCounts(), ...(unfinished?.page ? unfinished.counts : {}) }
  await updateImport(unscoped(scope), id, { state, counts, rows: counts.rows, problem: null })
  const record = await findImport(scope, id)
  if (!record) throw new AppError('not_found')
  return record
}

/** Records the outcome of an import. Notifies webhooks unless it was a dry run. */
function recordOutcome(
  scope: Scope<Context>,
  { id, lease }: { id: number; lease: Date | undefined },
  changes: Parameters<typeof updateImport>[2],
) {
  return transact(scope, async (tx) => {
    if (!(await updateImport(unscoped(tx), id, changes, { from: RUNNING_STATES, lease }))) return
    const ended = await findImport(tx, id)
    if (!ended || ended.state === 'checked') return
    const { source, name, state, counts, problem } = ended
    const event = {
      id,
      source,
      name,
      state,
      counts,
      problem: problem && formatProblem(problem, 'en'),
    }
    await scope.outbox.queueEvents(tx, 'import.finished', [event])
  })
}

/** Imports the rows of a source, starting where the import was interrupted. */
async function* importPages(
  scope: Scope<Context>,
  { id, counts, lease }: Pick<ImportRow, 'id' | 'counts'> & { lease?: Date },
  request: Pick<ImportRequest, 'source' | 'from' | 'domain' | 'onTaken' | 'dryRun'>,
  readPages: () => AsyncIterable<SourcePage>,
  signal?: AbortSignal,
): AsyncGenerator<Progress & { id: number }, void> {
  const { source, from, domain, onTaken, dryRun } = request
  try {
    const origin = URL.parse(from)?.host ?? ''
    const target = { accountId: scope.accountId, source, origin, domain, importId: id }
    const before = { ...createZeroCounts(), ...counts }
    const task = { ...target, pages: readPages(), onTaken, dryRun, previousCounts: before, lease }
    for await (const progress of runImport(scope, unscoped(scope), task)) {
      yield { ...progress, id }
      signal?.throwIfAborted()
    }
    const { rows } = (await findImport(scope, id)) ?? { rows: null }
    const state = dryRun ? 'checked' : 'done'
    await recordOutcome(
      scope,
      { id, lease },
      { state, page: null, expected: rows, finishedAt: scope.clock() },
    )
  } catch (error) {
    // An interrupted import will be resumed later.
    if (signal?.aborted || error instanceof SourceBusyError) throw error
    const failed = { state: 'failed', problem: toStoredProblem(error) } as const
    const record = dryRun
      ? updateImport(unscoped(scope), id, failed, { from: RUNNING_STATES, lease })
      : recordOutcome(scope, { id, lease }, failed)
    await record.catch(() => {})
    throw error
  }
}

function toStoredProblem(error: unknown): Problem {
  if (error instanceof SourceError) return error.problem
  return error instanceof AppError ? toProblem(error) : { key: 'sourceErrors.failed' }
}
