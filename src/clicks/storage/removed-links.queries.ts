import { sql } from 'kysely'
import type { Db } from '../../db/pool.ts'
import type { Tx } from '../../db/transaction.ts'

/**
 * Deletes the totals of links. Call it in the same transaction as the deletion of the links, after
 * it: a concurrent import then either does not find the links, or finishes first. The server with
 * the links' remaining clicks may be down, so this only marks the links, and the importer deletes
 * their clicks later.
 */
export async function removeClicks(tx: Tx, linkIds: readonly number[]): Promise<void> {
  if (linkIds.length === 0) return
  const counted = await tx
    .deleteFrom('click_totals')
    .where('link_id', '=', anyOf(linkIds))
    .returning('link_id')
    .execute()
  // A link without totals has no clicks.
  if (counted.length > 0) await tx.insertInto('removed_links').values(counted).execute()
}

/** Returns which of the links are deleted but still have stored clicks. */
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

/** Returns the first `limit` deleted links whose clicks are still stored. */
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
