import { countIntroduced, type LabelIds, listNames, OTHER } from '../clicks/import.ts'
import type { Db } from '../db/pool.ts'
import { findCountryCode, getCountryName } from '../visitors/country-names.ts'
import { isSocialNetwork } from '../visitors/referrer.ts'
import type { History } from './history.ts'

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
