import { countIntroduced, type LabelIds, listNames, OTHER } from '../clicks/import.ts'
import type { Db } from '../db/pool.ts'
import { countryCode, countryName } from '../visitors/country-names.ts'
import { isSocialNetwork } from '../visitors/referrer.ts'
import type { History } from './history.ts'

/**
 * The maximum number of label names that an account's imports may introduce. Additional ones are
 * counted as `Other`.
 */
export const MAX_NEW_LABELS = 10_000

type Options = { db: Db; labelIds: LabelIds; accountId: number; dryRun: boolean }

/** The label numbers for histories. */
export type ImportedLabels = {
  /** Label numbers by name. Names without a number are counted as `Other`. */
  numbers: ReadonlyMap<string, number>
  /** Returns whether a history has labels without a number. */
  isCut: (history: History | undefined) => boolean
}

/**
 * Assigns numbers to the labels of an import's batches, outside of their transactions. A dry run
 * creates no labels and uses 0 for new ones.
 */
export function createImportLabels({ db, labelIds, accountId, dryRun }: Options) {
  const wouldIntroduce = new Map<string, number>()

  return async function numberLabels(histories: readonly History[]): Promise<ImportedLabels> {
    const names = histories.length > 0 ? listNames(histories) : []
    const existing = new Map([...(await labelIds.find(names)), ...wouldIntroduce])
    const unknown = names.filter((name) => !existing.has(name))
    const own = unknown.filter((name) => !isCommon(name))
    const cut = new Set(own.slice(await remainingQuota(own.length)))
    const created = await create(unknown.filter((name) => !cut.has(name)))
    const numbers = new Map([...existing, ...created])
    const isCut = (history: History | undefined) =>
      cut.size > 0 &&
      history !== undefined &&
      listNames([history]).some((name) => !numbers.has(name))
    return { numbers, isCut }
  }

  async function remainingQuota(names: number): Promise<number> {
    if (names === 0) return 0
    const introduced = wouldIntroduce.size + (await countIntroduced(db, accountId))
    return Math.max(0, MAX_NEW_LABELS - introduced)
  }

  async function create(names: readonly string[]): Promise<Iterable<[string, number]>> {
    if (!dryRun) return labelIds.findOrCreate(names, (name) => (isCommon(name) ? null : accountId))
    for (const name of names) if (!isCommon(name)) wouldIntroduce.set(name, 0)
    return names.map((name) => [name, 0])
  }
}

/** Returns whether a name probably also occurs in recorded clicks. */
function isCommon(name: string): boolean {
  return name === OTHER || isSocialNetwork(name) || countryName(countryCode(name)) === name
}
