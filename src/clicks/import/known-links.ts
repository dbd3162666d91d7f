import type { Db } from '../../db/pool.ts'
import { createTotals, findLinksWithTotals, findOwners } from './known-links.queries.ts'

export type KnownLinks = ReturnType<typeof createKnownLinks>

const MAX_CACHED = 500_000

/** Caches which links have a row of totals. Only the clicks of these links are counted. */
export function createKnownLinks(db: Db) {
  let accountOf = new Map<number, number>()

  /**
   * Ensures that these links have totals. Returns a map of links to their accounts, which contains
   * those that exist and possibly others.
   */
  async function ensure(linkIds: ReadonlySet<number>): Promise<ReadonlyMap<number, number>> {
    if (accountOf.size >= MAX_CACHED) accountOf = new Map()
    await loadExisting(listMissing(linkIds))
    if (listMissing(linkIds).length > 0) {
      await createTotals(db, listMissing(linkIds))
      await loadExisting(listMissing(linkIds))
    }
    return accountOf
  }

  function listMissing(linkIds: ReadonlySet<number>): number[] {
    return [...linkIds].filter((id) => !accountOf.has(id))
  }

  async function loadExisting(linkIds: readonly number[]): Promise<void> {
    if (linkIds.length === 0) return
    const counted = await findLinksWithTotals(db, linkIds)
    for (const { id, account_id } of await findOwners(db, counted)) accountOf.set(id, account_id)
  }

  /** Removes deleted links from the cache, or all links if called without an argument. */
  function invalidate(linkIds?: Iterable<number>): void {
    if (linkIds) for (const id of linkIds) accountOf.delete(id)
    else accountOf = new Map()
  }

  return { ensure, invalidate }
}
