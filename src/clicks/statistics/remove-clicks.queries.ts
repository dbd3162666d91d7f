import { sql } from 'kysely'
import type { Tx } from '../../db/transaction.ts'

/** Rows of one table that a request deletes itself; what is more is left to the importer. */
const AT_ONCE = 5000

type Table = 'click_visitors' | 'clicks'

/**
 * Deletes what is stored of the clicks of links, in the transaction that has deleted the links
 * themselves just before: that order makes an import that runs at the same time either see the links
 * gone or be waited for. What shows anywhere goes at once; the visitors and raw clicks of a link
 * with very many of them are marked, and the importer deletes them a little later.
 */
export async function removeClicks(tx: Tx, linkIds: readonly number[]): Promise<void> {
  if (linkIds.length === 0) return
  for (const table of ['click_totals', 'click_days', 'click_details', 'click_imports'] as const) {
    await tx.deleteFrom(table).where('link_id', '=', anyOf(linkIds)).execute()
  }
  for (const table of ['click_visitors', 'clicks'] as const) {
    // Links together, unless one of them has so many, or all of them have.
    const groups = (await hasMany(tx, table, linkIds)) ? linkIds.map((id) => [id]) : [linkIds]
    for (const group of groups) await removeRows(tx, table, group)
  }
}

async function removeRows(tx: Tx, table: Table, linkIds: readonly number[]): Promise<void> {
  const [linkId] = linkIds
  if (linkIds.length === 1 && linkId !== undefined && (await hasMany(tx, table, linkIds))) {
    await tx
      .insertInto('removed_links')
      .values({ link_id: linkId })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    return
  }
  await tx.deleteFrom(table).where('link_id', '=', anyOf(linkIds)).execute()
}

async function hasMany(tx: Tx, table: Table, linkIds: readonly number[]): Promise<boolean> {
  const beyond = await tx
    .selectFrom(table)
    .select('link_id')
    .where('link_id', '=', anyOf(linkIds))
    .offset(AT_ONCE)
    .limit(1)
    .executeTakeFirst()
  return beyond !== undefined
}

function anyOf(linkIds: readonly number[]) {
  return sql<number>`any(${[...linkIds]}::bigint[])`
}
