import { sql } from 'kysely'
import type { Tx } from '../../db/transaction.ts'

/** Rows of one table that a request deletes itself; what is more is left to the importer. */
const AT_ONCE = 5000

/**
 * Deletes what is stored of the clicks of links, in the transaction that has deleted the links
 * themselves just before: that order makes an import that runs at the same time either see the links
 * gone or be waited for. What shows anywhere goes at once; the visitors and raw clicks of a link
 * with very many of them are marked, and the importer deletes them a little later.
 */
export async function removeClicks(tx: Tx, linkIds: readonly number[]): Promise<void> {
  if (linkIds.length === 0) return
  const ids = sql<number>`any(${[...linkIds]}::bigint[])`
  for (const table of ['click_totals', 'click_days', 'click_details'] as const) {
    await tx.deleteFrom(table).where('link_id', '=', ids).execute()
  }
  for (const linkId of linkIds) {
    for (const table of ['click_visitors', 'clicks'] as const) {
      if (await hasMany(tx, table, linkId)) {
        await tx
          .insertInto('removed_links')
          .values({ link_id: linkId })
          .onConflict((conflict) => conflict.doNothing())
          .execute()
      } else {
        await tx.deleteFrom(table).where('link_id', '=', linkId).execute()
      }
    }
  }
}

async function hasMany(
  tx: Tx,
  table: 'click_visitors' | 'clicks',
  linkId: number,
): Promise<boolean> {
  const beyond = await tx
    .selectFrom(table)
    .select('link_id')
    .where('link_id', '=', linkId)
    .offset(AT_ONCE)
    .limit(1)
    .executeTakeFirst()
  return beyond !== undefined
}
