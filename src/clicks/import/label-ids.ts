import type { Db } from '../../db/pool.ts'
import { createLabels, findLabels } from './labels.queries.ts'

export type LabelIds = ReturnType<typeof createLabelIds>

const MAX_CACHED = 200_000
/**
 * A label that is found to be unused is deleted after at least a day, so a cached number remains
 * valid this long.
 */
const MAX_AGE_MS = 3_600_000

/**
 * Caches the numbers of label names. Labels are created outside the transaction that uses them, so
 * a rollback cannot invalidate the cache.
 */
export function createLabelIds(db: Db) {
  let cached = new Map<string, number>()
  let cachedSince = performance.now()

  /** Returns the numbers of the names that have one. */
  async function find(names: readonly string[]): Promise<ReadonlyMap<string, number>> {
    if (performance.now() - cachedSince > MAX_AGE_MS) invalidate()
    const found = new Map<string, number>()
    const uncached: string[] = []
    for (const name of names) {
      const id = cached.get(name)
      if (id === undefined) uncached.push(name)
      else found.set(name, id)
    }
    if (uncached.length === 0) return found
    for (const { id, name } of await findLabels(db, uncached)) found.set(name, addToCache(name, id))
    return found
  }

  /**
   * Returns the number of each name, and creates missing ones. `introducedBy` is the account whose
   * import introduces the names, or null for clicks.
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

  function addToCache(name: string, id: number): number {
    if (cached.size >= MAX_CACHED) cached = new Map()
    cached.set(name, id)
    return id
  }

  /**
   * Clears the cache. Call this after a lost connection, because the database may be another one or
   * an older copy.
   */
  function invalidate(): void {
    cached = new Map()
    cachedSince = performance.now()
  }

  return { find, findOrCreate, invalidate }
}
