import type { Db } from '../../db/pool.ts'
import { createTotals, findCounted, findOwners } from './known-links.queries.ts'

export type KnownLinks = ReturnType<typeof createKnownLinks>

const MAX_REMEMBERED = 500_000

/** The links that have a row of totals: those, and no others, have clicks to be counted. */
export function createKnownLinks(db: Db) {
  let known = new Map<number, number>()

  /**
   * Makes sure of these links' totals; the map has, among others, those of them that exist, with the
   * accounts that own them.
   */
  async function ensure(linkIds: ReadonlySet<number>): Promise<ReadonlyMap<number, number>> {
    if (known.size >= MAX_REMEMBERED) known = new Map()
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

  /** Links that turned out to be deleted; without an argument everything is looked up anew. */
  function invalidate(linkIds?: Iterable<number>): void {
    if (linkIds) for (const id of linkIds) known.delete(id)
    else known = new Map()
  }

  return { ensure, invalidate }
}
