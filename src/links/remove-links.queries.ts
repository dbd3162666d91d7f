import { sql } from 'kysely'
import { removeClicks } from '../clicks/statistics/remove-clicks.queries.ts'
import { idArray } from '../db/id-array.ts'
import type { Tx } from '../db/transaction.ts'
import { holdLinks } from '../holds/reserve.queries.ts'

/**
 * Deletes links with everything counted of them: the only way to delete one. What an admin disabled or has
 * yet to review stays known and reserved.
 */
export async function removeLinks(tx: Tx, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await holdLinks(tx, ids)
  await tx
    .deleteFrom('links')
    .where('id', '=', sql<number>`any(${idArray(ids)}::bigint[])`)
    .execute()
  await removeClicks(tx, ids)
}
