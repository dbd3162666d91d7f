import { setImmediate as nextTurn } from 'node:timers/promises'
import { createLabelIds } from '../clicks/import.ts'
import { prefetch } from '../concurrency/limit.ts'
import type { Context } from '../context.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import type { Problem } from '../errors.ts'
import { findHeldAliases, findHeldDestinations } from '../holds/held-address.queries.ts'
import { findNamedDomain } from '../links/short-link.ts'
import { scopeOf } from '../scope.ts'
import {
  type CheckedLink,
  checkRecord,
  describeBrandedHost,
  describeProblem,
  type TargetDomains,
} from './check-record.ts'
import {
  createRepeatedAliasKey,
  createRowKey,
  findBrandedHosts,
  findImportedKeys,
  findLinksAt,
  findOwnDomains,
  formatSourceKey,
  toAddressKey,
} from './import.queries.ts'
import {
  type Candidate,
  createImportLabels,
  type ImportedLabels,
  type Outcome,
  storeBatch,
  type TakenAliasPolicy,
  toAddresses,
  toCreatedOutcome,
  toPresentOutcome,
} from './import-batch.ts'
import { addProblems, updateImport } from './progress.queries.ts'
import {
  type CheckedBatch,
  type Counts,
  computeProgress,
  createZeroCounts,
  getName,
  type Progress,
  type RowProblem,
} from './progress.ts'
import { type Source, SourceError, type SourcePage, type SourceRow } from './record.ts'
import { createSeenRows, describeSettings, type SeenRows } from './seen-rows.ts'
import { LACKS_RESTRICTION, lacksRestriction } from './stored-settings.ts'

export type ImportTask = {
  accountId: number
  source: Source
  /** The host of an API, which identifies links without a domain. Empty for a file. */
  origin: string
  /** Batches of rows. An import can resume at a batch that names the next page. */
  pages: AsyncIterable<SourcePage>
  /**
   * The account's domain for links on a domain that the account does not have. Defaults to the
   * service's host.
   */
  domain?: string | undefined
  onTaken: TakenAliasPolicy
  /** Whether to count the outcomes without changing anything except the import's own record. */
  dryRun: boolean
  /** The id of the record that stores the progress. */
  importId: number
  /** The start of this background run, so that it does not update the record of a later run. */
  lease?: Date | undefined
  /** The counts from before an interruption. */
  previousCounts?: Counts
}

/**
 * The number of rows validated per turn of the event loop, so that storing the previous batch can
 * continue.
 */
const ROWS_PER_TURN = 20

/** The link of an earlier row would lack the restrictions of this one. */
const HAS_OTHER_SETTINGS: Problem = { key: 'rowProblems.other_settings' }

/** The reason why a row cannot become a link. */
type Rejected = { rejection: Problem }

/** The states of a running import. */
export const RUNNING_STATES = ['checking', 'running'] as const

/**
 * Imports links into an account in batches. Each batch is stored in one transaction with the
 * progress, so that an interrupted import can resume. Yields the progress after each batch.
 *
 * @throws AppError `invalid_input` if the domain does not belong to the account, `alias_taken` if
 * the policy is `fail`; SourceError if the rest of the source cannot be read
 */
export async function* runImport(
  ctx: Context,
  db: Db,
  task: ImportTask,
): AsyncGenerator<Progress, void> {
  const targetDomains = await readTargetDomains(ctx, db, task)
  let counts = task.previousCounts ?? createZeroCounts()
  const { accountId, dryRun } = task
  const numberLabels = createImportLabels({ db, labelIds: createLabelIds(db), accountId, dryRun })
  // Reads and validates the next batch while the database stores this one.
  for await (const batch of prefetch(checkPages(ctx, db, task, targetDomains))) {
    const histories = batch.candidates.flatMap(({ link }) => link.history ?? [])
    const labels = await numberLabels(histories)
    const writeProgress = async (tx: Tx, outcomes: ReadonlyMap<Candidate, Outcome>) => {
      const progress = computeProgress(counts, batch, outcomes, labels, task)
      await addProblems(tx, task.importId, progress, counts.refused + counts.taken + counts.noticed)
      const page = batch.next === undefined ? {} : { page: batch.next }
      const { unused } = progress
      const change = { rows: progress.counts.rows, counts: progress.counts, unused, ...page }
      const isOpen = await updateImport(tx, task.importId, change, {
        from: RUNNING_STATES,
        lease: task.lease,
      })
      // Throwing rolls back this batch.
      if (!isOpen) throw new SourceError('canceled')
      return progress
    }
    const progress: Progress = task.dryRun
      ? await predictOutcomes(db, task, batch, writeProgress)
      : await storeBatchAndProgress(ctx, db, task, { ...batch, labels }, writeProgress)
    counts = progress.counts
    yield progress
  }
}

async function readTargetDomains(
  ctx: Context,
  db: Db,
  { accountId, domain, source }: ImportTask,
): Promise<TargetDomains> {
  const domains = await findOwnDomains({ db, accountId })
  const defaultDomain = await findNamedDomain(scopeOf({ ...ctx, db }, accountId), domain || null)
  return {
    accountId,
    domains,
    defaultDomainId: defaultDomain?.id ?? null,
    rejectsUnknownDomains: source === 'jsonl' && !domain,
  }
}

async function* checkPages(
  ctx: Context,
  db: Db,
  task: ImportTask,
  targetDomains: TargetDomains,
): AsyncGenerator<Batch, void> {
  const markSeen = createSeenRows()
  for await (const { rows, next, unused = [] } of task.pages) {
    const checked = await checkRows(ctx, db, task, targetDomains, rows, markSeen)
    yield { ...checked, rows: new Set(rows.map(({ row }) => row)).size, next, unused }
  }
}

/** Separates the rows that may become links from those that are already imported or invalid. */
async function checkRows(
  { hosts, blockList, clock }: Context,
  db: Db,
  { accountId, source, origin, importId }: ImportTask,
  targetDomains: TargetDomains,
  rows: readonly SourceRow[],
  markSeen: SeenRows,
) {
  const dependencies = { hosts, blocked: await blockList.current(), now: clock() }
  const check = (row: SourceRow) =>
    'record' in row
      ? checkRecord(row, targetDomains, dependencies).catch((error) => ({
          rejection: describeProblem(error, row),
        }))
      : { rejection: row.problem }
  const links: (CheckedLink | Rejected)[] = []
  for (let first = 0; first < rows.length; first += ROWS_PER_TURN) {
    links.push(...(await Promise.all(rows.slice(first, first + ROWS_PER_TURN).map(check))))
    await nextTurn()
  }
  const targets = links.flatMap((link) => ('rejection' in link ? [] : [...link.targetHosts.keys()]))
  const branded = await findBrandedHosts(db, [...new Set(targets)])
  const checked: Candidate[] = []
  let present = 0
  const problems: RowProblem[] = []
  for (const [index, each] of rows.entries()) {
    const link = links[index] ?? { rejection: '' }
    const problem = 'rejection' in link ? link.rejection : describeBrandedHost(link, branded, each)
    if ('rejection' in link || problem !== undefined) {
      const alias = 'record' in each ? getName(source, each.record) : (each.alias ?? '')
      problems.push({ row: each.row, alias, problem: problem ?? '' })
      continue
    }
    const { domain_id: domainId = null, alias, url } = link.row
    if (source === 'list') link.key = createRowKey(importId, each.row, url)
    const seen = markSeen(toAddressKey({ domainId, alias }), url, describeSettings(link))
    if (seen === 'same') {
      present += 1
      continue
    }
    if (seen === 'other settings') {
      problems.push({ row: each.row, alias, problem: HAS_OTHER_SETTINGS })
      continue
    }
    link.key.domain ||= origin
    // The second destination of an alias is a separate row. It gets its own key, so that it is
    // recognized if it occurs again.
    if (seen === 'other') link.key.alias = createRepeatedAliasKey(link.key.alias, url)
    checked.push({ row: each.row, link, isRepeat: seen === 'other' })
  }
  const keys = checked.map(({ link }) => link.key)
  const imported = await findImportedKeys({ db, accountId }, source, keys)
  const candidates: Candidate[] = []
  for (const candidate of checked) {
    const { row, link } = candidate
    const key = formatSourceKey(link.key)
    const settings = imported.get(key)
    if (!imported.has(key)) candidates.push(candidate)
    else if (settings && lacksRestriction(settings, link.row)) {
      problems.push({ row, alias: getName(source, link.row), problem: LACKS_RESTRICTION })
    } else present += 1
  }
  return { candidates, present, problems }
}

/** Predicts the outcomes of the rows without changing anything. */
async function predictOutcomes(
  db: Db,
  task: ImportTask,
  { candidates }: Batch,
  writeProgress: WriteProgress,
): Promise<Progress> {
  const outcomes = await predict(db, task, candidates)
  return inTransaction(db, (tx) => writeProgress(tx, outcomes))
}

async function predict(
  db: Db,
  { accountId }: ImportTask,
  candidates: readonly Candidate[],
): Promise<ReadonlyMap<Candidate, Outcome>> {
  const addresses = toAddresses(candidates)
  const existing = await findLinksAt({ db, accountId }, addresses)
  const aliases = addresses.map(({ alias }) => alias)
  const reserved = new Set((await findHeldAliases(db, aliases)).map(toAddressKey))
  const destinations = candidates.flatMap(({ link }) => [...link.destinations])
  const held = await findHeldDestinations({ db, accountId }, destinations)
  const problem: Problem = { key: 'errors.destination_held' }
  const outcomes = new Map<Candidate, Outcome>()
  for (const [index, candidate] of candidates.entries()) {
    const { row } = candidate.link
    const address = toAddressKey(addresses[index] ?? { domainId: null, alias: '' })
    const existingLink = existing.get(address)
    const isSame = existingLink?.accountId === accountId && existingLink.url === row.url
    const isTaken = existingLink !== undefined || reserved.has(address) || candidate.isRepeat
    const isHeld = !candidate.link.destinations.isDisjointFrom(held)
    if (isSame) outcomes.set(candidate, toPresentOutcome(candidate, existingLink.settings))
    else if (isTaken) outcomes.set(candidate, { kind: 'taken' })
    else if (isHeld) outcomes.set(candidate, { kind: 'refused', problem })
    else outcomes.set(candidate, toCreatedOutcome(candidate, 0, row.alias))
  }
  return outcomes
}

async function storeBatchAndProgress(
  { quotas, storage }: Context,
  db: Db,
  { accountId, source, importId, onTaken }: ImportTask,
  { candidates, labels }: Batch & { labels: ImportedLabels },
  writeProgress: WriteProgress,
): Promise<Progress> {
  const isFull = await storage.isFull({ db, accountId })
  return quotas.links.use({ db, accountId }, candidates.length, async (remaining) => {
    const allowed = isFull ? 0 : remaining
    const target = { accountId, source, importId, onTaken }
    const task = { ...target, candidates: candidates.slice(0, allowed), labels: labels.numbers }
    const problem: Problem = { key: isFull ? 'errors.storage_full' : 'errors.too_many_links' }
    return inTransaction(db, async (tx) => {
      const outcomes = await storeBatch(tx, task)
      for (const candidate of candidates.slice(allowed)) {
        outcomes.set(candidate, { kind: 'refused', problem })
      }
      return writeProgress(tx, outcomes)
    })
  })
}

type Batch = CheckedBatch & { next: string | undefined }

/** Stores the progress of an import in the transaction of the batch. */
type WriteProgress = (tx: Tx, outcomes: ReadonlyMap<Candidate, Outcome>) => Promise<Progress>
