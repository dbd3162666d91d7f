import { sql } from 'kysely'
import { TOTALS_LOCK } from '../../db/lock.ts'
import type { Db } from '../../db/pool.ts'
import type { Tx } from '../../db/transaction.ts'

/**
 * Deletes the totals of links. Must run in the transaction that deletes the links, after their
 * deletion: a concurrent import then either does not find the links, or finishes first. On a
 * cluster, the server that stores the links' clicks may be down. Therefore the links are only
 * marked here, and the importer deletes their clicks later.
 */
export async function removeClicks(tx: Tx, linkIds: readonly number[]): Promise<void> {
  if (linkIds.length === 0) return
  // An import that is creating totals commits them first. A later one does not find the links.
  await sql`select pg_advisory_xact_lock_shared(${TOTALS_LOCK})`.execute(tx)
  const counted = await tx
    .deleteFrom('click_totals')
    .where('link_id', '=', anyOf(linkIds))
    .returning('link_id')
    .execute()
  // Links without totals have no clicks.
  if (counted.length > 0) await tx.insertInto('removed_links').values(counted).execute()
}

/** Returns the next `limit` deleted links that still have stored clicks. */
export async function listRemovedLinks(
  db: Db,
  {
    limit,
    after,
    order = 'asc',
  }: { limit: number; after?: number | undefined; order?: 'asc' | 'desc' },
): Promise<number[]> {
  const rows = await db
    .selectFrom('removed_links')
    .select('link_id')
    .$if(after !== undefined, (query) =>
      query.where('link_id', order === 'asc' ? '>' : '<', after as number),
    )
    .orderBy('link_id', order)
    .limit(limit)
    .execute()
  return rows.map(({ link_id }) => link_id)
}

function anyOf(linkIds: readonly number[]) {
  return sql<number>`any(${[...linkIds]}::bigint[])`
}
