import { formatActor } from '../actor.ts'
import { addHistory, countIntroduced, type LabelIds, listNames, OTHER } from '../clicks/import.ts'
import type { Db } from '../db/pool.ts'
import type { Tx } from '../db/transaction.ts'
import { AppError, type Problem, toProblem } from '../errors.ts'
import { insertEach, type LinkRow } from '../links/insert-links.queries.ts'
import { insertUsedClicks } from '../links/link-uses.queries.ts'
import { releaseAliases } from '../links/remove-links.queries.ts'
import { addTags } from '../tags/link-tags.queries.ts'
import { randomAlias } from '../urls/alias.ts'
import { findCountryCode, getCountryName } from '../visitors/country-names.ts'
import { isSocialNetwork } from '../visitors/referrer.ts'
import type { CheckedLink } from './check-record.ts'
import { estimateBytes, type History } from './history.ts'
import { findLinksAt, insertImported, toAddressKey } from './import.queries.ts'
import type { Source } from './record.ts'
import { LACKS_RESTRICTION, lacksRestriction, type StoredSettings } from './stored-settings.ts'

/**
 * The policies for a row whose alias is already used by another link: fail the import, skip the
 * row, or rename the link.
 */
export const TAKEN_ALIAS_POLICIES = ['fail', 'skip', 'rename'] as const
export type TakenAliasPolicy = (typeof TAKEN_ALIAS_POLICIES)[number]

/**
 * A validated link and the number of its row. `isRepeat` means that an earlier row had the same
 * alias.
 */
export type Candidate = { row: number; link: CheckedLink; isRepeat: boolean }

/** The outcome of a row. */
export type Outcome =
  | { kind: 'created'; linkId: number; alias: string; clicks: number }
  | { kind: 'present' }
  | { kind: 'taken' }
  | { kind: 'refused'; problem: Problem }

type Task = {
  accountId: number
  source: Source
  importId: number
  onTaken: TakenAliasPolicy
  candidates: readonly Candidate[]
  /**
   * The numbers of the label names in the histories. Names without a number are counted as `Other`.
   */
  labels: ReadonlyMap<string, number>
}

/** The last number to append to an alias: tries `sale-2` to `sale-9`, then two random aliases. */
const MAX_SUFFIX = 9
const MAX_ALIAS_LENGTH = 64

/**
 * Stores links with all their data in the caller's transaction, so that no link exists without its
 * clicks. Returns the outcome for each link.
 *
 * @throws AppError `alias_taken` naming the row, if the policy is `fail`
 */
export async function storeBatch(tx: Tx, task: Task): Promise<Map<Candidate, Outcome>> {
  const outcomes = await insertNew(tx, task, task.candidates)
  const undecided = findUndecided(task.candidates, outcomes)
  if (await releaseAliases({ db: tx, accountId: task.accountId }, toAddresses(undecided))) {
    for (const [candidate, outcome] of await insertNew(tx, task, undecided)) {
      outcomes.set(candidate, outcome)
    }
  }
  const existing = await findLinksAt(
    { db: tx, accountId: task.accountId },
    toAddresses(findUndecided(task.candidates, outcomes)),
  )
  for (const candidate of findUndecided(task.candidates, outcomes)) {
    const { row } = candidate.link
    const existingLink = existing.get(
      toAddressKey({ domainId: row.domain_id ?? null, alias: row.alias }),
    )
    const isSame = existingLink?.accountId === task.accountId && existingLink.url === row.url
    if (isSame) outcomes.set(candidate, toPresentOutcome(candidate, existingLink.settings))
    else if (task.onTaken === 'skip') outcomes.set(candidate, { kind: 'taken' })
    else if (task.onTaken === 'fail') throw createTakenError(candidate)
  }
  if (task.onTaken === 'rename') await rename(tx, task, outcomes)
  await storeParts(tx, task, outcomes)
  return outcomes
}

/** Returns the addresses of links. */
export function toAddresses(candidates: readonly Candidate[]) {
  return candidates.map(({ link: { row } }) => ({
    domainId: row.domain_id ?? null,
    alias: row.alias,
  }))
}

function createTakenError({ row, link }: Candidate): AppError {
  return new AppError('alias_taken', {
    text: 'rejections.alias_taken_in_row',
    args: { row, alias: link.row.alias },
  })
}

async function insertNew(
  tx: Tx,
  { importId }: Task,
  candidates: readonly Candidate[],
  chooseAlias?: (candidate: Candidate) => string,
): Promise<Map<Candidate, Outcome>> {
  const outcomes = new Map<Candidate, Outcome>()
  if (candidates.length === 0) return outcomes
  const created_by = formatActor({ surface: 'import', id: importId })
  const rows = candidates.map((candidate): LinkRow => {
    const row = { ...candidate.link.row, created_by }
    return chooseAlias ? { ...row, alias: chooseAlias(candidate) } : row
  })
  const results = await insertEach(tx, rows)
  for (const [index, candidate] of candidates.entries()) {
    const result = results[index]
    if (result?.status === 'rejected') {
      const { reason } = result
      if (reason instanceof AppError && reason.code === 'alias_held') continue
      const problem: Problem =
        reason instanceof AppError ? toProblem(reason) : { key: 'rowProblems.not_stored' }
      outcomes.set(candidate, { kind: 'refused', problem })
    } else if (result?.value) {
      const alias = rows[index]?.alias ?? ''
      outcomes.set(candidate, toCreatedOutcome(candidate, result.value.id, alias))
    }
  }
  return outcomes
}

/** Returns the outcome of a link that was created, or that would be (with the id 0). */
export function toCreatedOutcome({ link }: Candidate, linkId: number, alias: string): Outcome {
  return { kind: 'created', linkId, alias, clicks: link.history?.clicks ?? 0 }
}

/** Returns the outcome for a row with the alias and destination of a link of the account. */
export function toPresentOutcome({ link }: Candidate, settings: StoredSettings): Outcome {
  return lacksRestriction(settings, link.row)
    ? { kind: 'refused', problem: LACKS_RESTRICTION }
    : { kind: 'present' }
}

function findUndecided(
  candidates: readonly Candidate[],
  outcomes: ReadonlyMap<Candidate, Outcome>,
) {
  return candidates.filter((candidate) => !outcomes.has(candidate))
}

/** Creates the remaining links with other aliases. If all of these are taken, so is the row. */
async function rename(tx: Tx, task: Task, outcomes: Map<Candidate, Outcome>): Promise<void> {
  for (let attempt = 2; attempt <= MAX_SUFFIX + 2; attempt += 1) {
    const undecided = findUndecided(task.candidates, outcomes)
    if (undecided.length === 0) return
    const stored = await insertNew(tx, task, undecided, ({ link }) =>
      attempt <= MAX_SUFFIX && task.source !== 'list'
        ? appendSuffix(link.row.alias, `-${attempt}`)
        : randomAlias(),
    )
    for (const [candidate, outcome] of stored) outcomes.set(candidate, outcome)
  }
  for (const candidate of findUndecided(task.candidates, outcomes))
    outcomes.set(candidate, { kind: 'taken' })
}

function appendSuffix(alias: string, suffix: string): string {
  return [...alias].slice(0, MAX_ALIAS_LENGTH - suffix.length).join('') + suffix
}

async function storeParts(
  tx: Tx,
  { accountId, source, labels }: Task,
  outcomes: ReadonlyMap<Candidate, Outcome>,
): Promise<void> {
  const created = [...outcomes].flatMap(([{ link }, outcome]) =>
    outcome.kind === 'created' ? { link, linkId: outcome.linkId } : [],
  )
  const keys = created.map(({ link, linkId }) => ({
    ...link.key,
    linkId,
    historyBytes: estimateBytes(link.history),
  }))
  const tagged = created.map(({ link: { tags }, linkId }) => ({ linkId, tags }))
  const histories = new Map(
    created.flatMap(({ link: { history }, linkId }): [number, History][] =>
      history ? [[linkId, history]] : [],
    ),
  )
  await insertImported(tx, { accountId, source }, keys)
  await addTags({ db: tx, accountId }, tagged, { isNew: true })
  await insertUsedClicks(
    tx,
    created.flatMap(({ link: { usedClicks }, linkId }) =>
      usedClicks > 0 ? { linkId, usedClicks } : [],
    ),
  )
  // Comes last, because concurrent imports of clicks may update the same account row.
  await addHistory({ db: tx, accountId }, histories, labels)
}

/**
 * The maximum number of label names that an account's imports may introduce. Additional ones are
 * counted as `Other`.
 */
export const MAX_NEW_LABELS = 10_000

type Options = { db: Db; labelIds: LabelIds; accountId: number; dryRun: boolean }

/** The numbers of the labels in click histories. */
export type ImportedLabels = {
  /** Label numbers by name. Names without a number are counted as `Other`. */
  numbers: ReadonlyMap<string, number>
  /** Returns whether a history has labels without a number. */
  hasDroppedLabels: (history: History | undefined) => boolean
}

/**
 * Creates the function that assigns numbers to the labels of an import's batches, outside of their
 * transactions. A dry run creates no labels and uses 0 for new ones.
 */
export function createImportLabels({ db, labelIds, accountId, dryRun }: Options) {
  const dryRunLabels = new Map<string, number>()

  return async function numberLabels(histories: readonly History[]): Promise<ImportedLabels> {
    const names = histories.length > 0 ? listNames(histories) : []
    const existing = new Map([...(await labelIds.find(names)), ...dryRunLabels])
    const unknown = names.filter((name) => !existing.has(name))
    const introduced = unknown.filter((name) => !isCommon(name))
    const dropped = new Set(introduced.slice(await readRemainingQuota(introduced.length)))
    const created = await createNumbers(unknown.filter((name) => !dropped.has(name)))
    const numbers = new Map([...existing, ...created])
    const hasDroppedLabels = (history: History | undefined) =>
      dropped.size > 0 &&
      history !== undefined &&
      listNames([history]).some((name) => !numbers.has(name))
    return { numbers, hasDroppedLabels }
  }

  async function readRemainingQuota(names: number): Promise<number> {
    if (names === 0) return 0
    const introduced = dryRunLabels.size + (await countIntroduced({ db, accountId }))
    return Math.max(0, MAX_NEW_LABELS - introduced)
  }

  async function createNumbers(names: readonly string[]): Promise<Iterable<[string, number]>> {
    if (!dryRun) return labelIds.findOrCreate(names, (name) => (isCommon(name) ? null : accountId))
    for (const name of names) if (!isCommon(name)) dryRunLabels.set(name, 0)
    return names.map((name) => [name, 0])
  }
}

/** Returns whether a name probably also occurs in recorded clicks. */
function isCommon(name: string): boolean {
  return name === OTHER || isSocialNetwork(name) || getCountryName(findCountryCode(name)) === name
}
