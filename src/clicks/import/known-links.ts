import type pg from 'pg'
import { int8Array } from '../encoding/pg-binary.ts'

export type KnownLinks = ReturnType<typeof createKnownLinks>

const MAX_REMEMBERED = 500_000

/** The links that have a row of totals: those, and no others, have clicks to be counted. */
export function createKnownLinks(db: Pick<pg.Pool, 'query'>) {
  let known = new Set<number>()

  /** Makes sure of these links' totals; the set has, among others, those of them that exist. */
  async function ensure(linkIds: ReadonlySet<number>): Promise<ReadonlySet<number>> {
    if (known.size >= MAX_REMEMBERED) known = new Set()
    await find(missing(linkIds))
    if (missing(linkIds).length > 0) {
      await create(missing(linkIds))
      await find(missing(linkIds))
    }
    return known
  }

  function missing(linkIds: ReadonlySet<number>): number[] {
    return [...linkIds].filter((id) => !known.has(id))
  }

  async function find(linkIds: readonly number[]): Promise<void> {
    if (linkIds.length === 0) return
    const { rows } = await db.query<{ link_id: number }>(
      'select link_id from click_totals where link_id = any($1::bigint[])',
      [int8Array(linkIds)],
    )
    for (const { link_id } of rows) known.add(link_id)
  }

  /**
   * A link gets its totals with its first click. One that is being deleted is waited for, so that no
   * totals are left behind.
   */
  async function create(linkIds: readonly number[]): Promise<void> {
    await db.query(
      `with present as materialized (
         select id from links where id = any($1::bigint[]) order by id for key share
       )
       insert into click_totals (link_id) select id from present on conflict do nothing`,
      [int8Array(linkIds)],
    )
  }

  /** Links that turned out to be deleted; without an argument everything is looked up anew. */
  function invalidate(linkIds?: Iterable<number>): void {
    if (linkIds) for (const id of linkIds) known.delete(id)
    else known = new Set()
  }

  return { ensure, invalidate }
}
