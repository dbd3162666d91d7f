import type { Db } from '../../db/pool.ts'
import { createTotals, findLinks } from './known-links.queries.ts'

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
    const missing = [...linkIds].filter((id) => !accountOf.has(id))
    if (missing.length > 0) await load(missing)
    return accountOf
  }

  async function load(linkIds: readonly number[]): Promise<void> {
    const { id, account, hasTotals } = await findLinks(db, linkIds)
    const unclicked = id.filter((_, index) => hasTotals[index] === 0)
    const created = new Set(unclicked.length > 0 ? await createTotals(db, unclicked) : [])
    for (const [index, link] of id.entries()) {
      if (hasTotals[index] === 1 || created.has(link)) {
        accountOf.set(link, account[index] as number)
      }
    }
  }

  /** Removes deleted links from the cache, or all links if called without an argument. */
  function invalidate(linkIds?: Iterable<number>): void {
    if (linkIds) for (const id of linkIds) accountOf.delete(id)
    else accountOf = new Map()
  }

  return { ensure, invalidate }
}
