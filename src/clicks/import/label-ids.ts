import type { Db } from '../../db/pool.ts'
import { createLabels, findLabels } from './labels.queries.ts'

export type LabelIds = ReturnType<typeof createLabelIds>

const MAX_REMEMBERED = 200_000
/** A label that nothing uses is deleted a day after that was found at the earliest. */
const MAX_AGE_MS = 3_600_000

/**
 * The numbers of label names. They are looked up and made outside the transaction that uses them,
 * so that nothing is remembered here that a rollback could take back.
 */
export function createLabelIds(db: Db) {
  let known = new Map<string, number>()
  let knownSince = performance.now()

  /** The number of each name that has one. */
  async function find(names: readonly string[]): Promise<ReadonlyMap<string, number>> {
    if (performance.now() - knownSince > MAX_AGE_MS) invalidate()
    const found = new Map<string, number>()
    const unknown: string[] = []
    for (const name of names) {
      const id = known.get(name)
      if (id === undefined) unknown.push(name)
      else found.set(name, id)
    }
    if (unknown.length === 0) return found
    for (const { id, name } of await findLabels(db, unknown)) found.set(name, remember(name, id))
    return found
  }

  /**
   * The number of every name; names that have none yet get one. `introducedBy` tells whose import
   * introduces a name, null where clicks do.
   */
  async function findOrCreate(
    names: readonly string[],
    introducedBy: (name: string) => number | null = () => null,
  ): Promise<ReadonlyMap<string, number>> {
    const found = await find(names)
    const missing = names.filter((name) => !found.has(name)).sort()
    if (missing.length === 0) return found
    await createLabels(db, missing, missing.map(introducedBy))
    return find(names)
  }

  function remember(name: string, id: number): number {
    if (known.size >= MAX_REMEMBERED) known = new Map()
    known.set(name, id)
    return id
  }

  /** To be called when the connection was lost: the database may be another, or an older one. */
  function invalidate(): void {
    known = new Map()
    knownSince = performance.now()
  }

  return { find, findOrCreate, invalidate }
}
