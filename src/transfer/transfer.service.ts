import type { Quota } from '../accounts/quota.ts'
import type { BlockList } from '../blocked-hosts/block-list.ts'
import { createLabelIds } from '../clicks/import.ts'
import type { Clock } from '../clock.ts'
import type { Db } from '../db/pool.ts'
import { countRows } from '../db/row-counts.queries.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Hosts } from '../domains/hosts.ts'
import { AppError } from '../errors.ts'
import type { GuardedFetch } from '../net/guarded-fetch.ts'
import type { Outbox } from '../webhooks/outbox.ts'
import { type Counts, noCounts } from './counts.ts'
import { createExporting } from './export.service.ts'
import { createImporting, OPEN } from './import.service.ts'
import { ON_TAKEN, type OnTaken } from './import-batch.ts'
import { openApi } from './open-api.ts'
import {
  claimSource,
  deleteProblems,
  findImport,
  findUnfinished,
  type ImportRow,
  insertImport,
  listImports,
  listProblems,
  trimImports,
  updateImport,
} from './progress.queries.ts'
import type { Progress } from './progress.ts'
import type { ClaimedImport } from './queue.queries.ts'
import { fileAt, isFileSource, type OpenFile, readFilePages } from './read/file.ts'
import { type Source, SourceBusyError, SourceError, type SourcePage } from './record.ts'

export type Transfers = ReturnType<typeof createTransfers>

export type ImportRequest = {
  source: Source
  /** The path of a file, or the address of an API. */
  from: string
  /** What the source is called in lists, where that is not where it lies. */
  name?: string | undefined
  /** The key of an API. It is kept nowhere. */
  token?: string | undefined
  /** Has a record of its own, also where one of this name was cut off. */
  isNew?: boolean
  domain?: string | undefined
  onTaken: OnTaken
  dryRun: boolean
}

type Dependencies = {
  db: Db
  baseUrl: string
  hosts: Hosts
  blockList: Pick<BlockList, 'current'>
  clock: Clock
  /** How many links an account may have. */
  quota: Quota
  /** Asks APIs. */
  outbound: Pick<GuardedFetch, 'fetch'>
  outbox: Pick<Outbox, 'put'>
}

/** What an import in the background is given: its uploaded file, or the key of its source. */
export type Resuming = { file: OpenFile; token: string | undefined; signal: AbortSignal }

/** Imports that an account's list keeps. */
const KEPT = 50

/** Moves links into accounts and out of them, with what was counted of them. */
export function createTransfers({
  db,
  baseUrl,
  hosts,
  blockList,
  clock,
  quota,
  outbound,
  outbox,
}: Dependencies) {
  const importing = createImporting({
    db,
    hosts,
    blockList,
    clock,
    quota,
    labelIds: createLabelIds(db),
  })

  /** The record of an import: that of one of the same source that was cut off, or a new one. */
  async function begin(accountId: number, request: ImportRequest): Promise<ImportRow> {
    const { source, from, name = from, domain = '', onTaken, dryRun, isNew = dryRun } = request
    const state = dryRun ? 'checking' : 'running'
    const options = { domain, onTaken }
    const unfinished = isNew ? undefined : await findUnfinished(db, accountId, source, name)
    const id =
      unfinished?.id ?? (await insertImport(db, { accountId, source, name, options, state }))
    await trimImports(db, accountId, KEPT)
    // A file is read from its beginning again: what was taken then is known.
    if (!unfinished?.page) await deleteProblems(db, id)
    const counts: Counts = { ...noCounts(), ...(unfinished?.page ? unfinished.counts : {}) }
    await updateImport(db, id, { state, counts, rows: counts.rows, problem: null })
    const begun = await findImport(db, accountId, id)
    if (!begun) throw new AppError('not_found')
    return begun
  }

  /** Writes down what came of an import, and has others told of it unless it was a rehearsal. */
  function end(
    accountId: number,
    { id, lease }: { id: number; lease: Date | undefined },
    changes: Parameters<typeof updateImport>[2],
  ) {
    return inTransaction(db, async (tx) => {
      if (!(await updateImport(tx, id, changes, { from: OPEN, lease }))) return
      const ended = await findImport(tx, accountId, id)
      if (!ended || ended.state === 'checked') return
      const { source, name, state, counts, problem } = ended
      const told = { id, source, name, state, counts, problem }
      await outbox.put(tx, accountId, 'import.finished', [told])
    })
  }

  /** Takes the rows of a source, from where the import has come to. */
  async function* advance(
    accountId: number,
    { id, counts, lease }: Pick<ImportRow, 'id' | 'counts'> & { lease?: Date },
    request: Pick<ImportRequest, 'source' | 'from' | 'domain' | 'onTaken' | 'dryRun'>,
    open: () => AsyncIterable<SourcePage>,
    signal?: AbortSignal,
  ): AsyncGenerator<Progress & { id: number }, void> {
    const { source, from, domain, onTaken, dryRun } = request
    try {
      const origin = URL.parse(from)?.host ?? ''
      const where = { accountId, source, origin, domain, importId: id }
      const before = { ...noCounts(), ...counts }
      const task = { ...where, pages: open(), onTaken, dryRun, before, lease }
      for await (const progress of importing.run(task)) {
        yield { ...progress, id }
        signal?.throwIfAborted()
      }
      const { rows } = (await findImport(db, accountId, id)) ?? { rows: null }
      const state = dryRun ? 'checked' : 'done'
      await end(
        accountId,
        { id, lease },
        { state, page: null, expected: rows, finishedAt: clock() },
      )
    } catch (error) {
      // What is broken off goes on later.
      if (signal?.aborted || error instanceof SourceBusyError) throw error
      const isKnown = error instanceof SourceError || error instanceof AppError
      const problem = isKnown ? error.message : 'Something went wrong.'
      const failed = { state: 'failed', problem } as const
      const record = dryRun
        ? updateImport(db, id, failed, { from: OPEN, lease })
        : end(accountId, { id, lease }, failed)
      await record.catch(() => {})
      throw error
    }
  }

  return {
    /**
     * Takes a source for the connection's own, for as long as it lasts: two commands that move it into
     * the same account would share one record. False where another has it.
     */
    claim: (connection: Db, accountId: number, source: Source, from: string): Promise<boolean> =>
      claimSource(connection, accountId, source, from),

    /**
     * Takes links into an account; gives how far it is after each batch. One that was cut off goes on,
     * and one that is repeated changes nothing: rows are known by their source, domain and alias.
     *
     * @throws SourceError for what cannot be read, AppError `invalid_input` naming `domain`,
     *   `alias_taken` where that is to end it
     */
    async *import(
      accountId: number,
      request: ImportRequest,
      onRead: (bytes: number) => void = () => {},
    ): AsyncGenerator<Progress & { id: number }, void> {
      const begun = await begin(accountId, request)
      const open = () => {
        const { source, from } = request
        return isFileSource(source)
          ? readFilePages(source, fileAt(from), onRead)
          : openApi({ ...request, source }, accountId, begun, { outbound })
      }
      yield* advance(accountId, begun, request, open)
    },

    /**
     * The same for an import that was begun in the console, claimed by the caller. Broken off by the
     * signal, it is as it was after its last batch.
     *
     * @throws SourceBusyError where it is to go on only after a while
     */
    async *resume(
      claimed: ClaimedImport,
      { file, token, signal }: Resuming,
    ): AsyncGenerator<Progress & { id: number }, void> {
      const { id, account_id: accountId, source, name, options, dry_run: dryRun } = claimed
      const begun = await findImport(db, accountId, id)
      if (!begun) throw new AppError('not_found')
      if (!claimed.page) await deleteProblems(db, id)
      const onTaken = ON_TAKEN.find((word) => word === options.onTaken) ?? 'skip'
      const request = { from: name, token, domain: options.domain, onTaken, dryRun }
      const open = () =>
        isFileSource(source)
          ? readFilePages(source, file)
          : openApi({ ...request, source }, accountId, begun, { outbound, signal })
      const record = { ...begun, lease: claimed.run_at }
      yield* advance(accountId, record, { ...request, source }, open, signal)
    },

    /** An account's links as a file, in parts that are read as they are asked for. */
    export: createExporting({ db, baseUrl }),

    /** How many links an account has. */
    count: (accountId: number): Promise<number> => countRows(db, 'links', accountId),

    /** An account's import. @throws AppError `not_found` */
    async find(accountId: number, id: number): Promise<ImportRow> {
      const found = await findImport(db, accountId, id)
      if (!found) throw new AppError('not_found')
      return found
    },

    /** The account's last imports, newest first. */
    list: (accountId: number) => listImports(db, accountId, KEPT),

    /** The rows that an import did not take, read as they are asked for. */
    async *problems(accountId: number, id: number) {
      if (!(await findImport(db, accountId, id))) throw new AppError('not_found')
      for (let after = -1; ; ) {
        const rows = await listProblems(db, id, after, 1000)
        yield* rows
        const last = rows.at(-1)
        if (!last) return
        after = last.row
      }
    },
  }
}
