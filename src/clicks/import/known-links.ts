import type { Db } from '../../db/pool.ts'
import { createTotals, findCounted, findOwners } from './known-links.queries.ts'

export type KnownLinks = ReturnType<typeof createKnownLinks>

const MAX_CACHED = 500_000

/** Caches which links have a row of totals. Only the clicks of these links are counted. */
export function createKnownLinks(db: Db) {
  let known = new Map<number, number>()

  /**
   * Ensures that these links have totals. Returns a map of links to their accounts, which contains
   * those that exist and possibly others.
   */
  async function ensure(linkIds: ReadonlySet<number>): Promise<ReadonlyMap<number, number>> {
    if (known.size >= MAX_CACHED) known = new Map()
    await find(missing(linkIds))
    if (missing(linkIds).length > 0) {
      await createTotals(db, missing(linkIds))
      await find(missing(linkIds))
    }
    return known
  }

  function missing(linkIds: ReadonlySet<number>): number[] {
    return [...linkIds].filter((id) => !known.has(id))
  }

  async function find(linkIds: readonly number[]): Promise<void> {
    if (linkIds.length === 0) return
    const counted = await findCounted(db, linkIds)
    for (const { id, account_id } of await findOwners(db, counted)) known.set(id, account_id)
  }

  /** Removes deleted links from the cache, or all links if called without an argument. */
  function invalidate(linkIds?: Iterable<number>): void {
    if (linkIds) for (const id of linkIds) known.delete(id)
    else known = new Map()
  }

  return { ensure, invalidate }
}
