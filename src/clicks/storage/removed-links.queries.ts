import { sql } from 'kysely'
import type { Db } from '../../db/pool.ts'
import type { Tx } from '../../db/transaction.ts'

/**
 * Deletes the totals of links, in the transaction that has just deleted the links themselves: in that
 * order, a concurrent import either finds the links gone or is waited for. The rest of their clicks may
 * be stored by a server that is down, so those links are only marked, and the importer deletes it.
 */
export async function removeClicks(tx: Tx, linkIds: readonly number[]): Promise<void> {
  if (linkIds.length === 0) return
  const counted = await tx
    .deleteFrom('click_totals')
    .where('link_id', '=', anyOf(linkIds))
    .returning('link_id')
    .execute()
  // A link without totals has no clicks at all.
  if (counted.length > 0) await tx.insertInto('removed_links').values(counted).execute()
}

/** Returns those of some links that are deleted, but whose clicks the importer has not deleted yet. */
export async function findRemoved(
  db: Db,
  linkIds: readonly number[],
): Promise<ReadonlySet<number>> {
  const rows = await db
    .selectFrom('removed_links')
    .select('link_id')
    .where('link_id', '=', anyOf(linkIds))
    .execute()
  return new Set(rows.map(({ link_id }) => link_id))
}

/** The first of the deleted links whose clicks are still stored. */
export async function listRemoved(db: Db, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('removed_links')
    .select('link_id')
    .orderBy('link_id')
    .limit(limit)
    .execute()
  return rows.map(({ link_id }) => link_id)
}

function anyOf(linkIds: readonly number[]) {
  return sql<number>`any(${[...linkIds]}::bigint[])`
}
