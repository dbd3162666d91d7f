import { sql } from 'kysely'
import { int8Array } from '../../db/pg-binary.ts'
import type { Db } from '../../db/pool.ts'

/** The number of rows of a table deleted per statement. */
const CHUNK = 5000

/** Removes links from the list of deleted links. Call this once none of their clicks are stored. */
export async function unlistRemovedLinks(db: Db, linkIds: readonly number[]): Promise<void> {
  await db.deleteFrom('removed_links').where('link_id', '=', anyOf(linkIds)).execute()
}

/** Returns whether links have more rows in a table than one statement deletes. */
export async function exceedsChunk(
  db: Db,
  table: 'click_visitors' | 'clicks',
  linkIds: readonly number[],
): Promise<boolean> {
  const beyond = await db
    .selectFrom(table)
    .select('link_id')
    .where('link_id', '=', anyOf(linkIds))
    .offset(CHUNK)
    .limit(1)
    .executeTakeFirst()
  return beyond !== undefined
}

type Table = 'click_days' | 'click_details' | 'click_imports' | 'click_visitors' | 'clicks'

/** Deletes all rows of links. */
export async function deleteRows(db: Db, table: Table, linkIds: readonly number[]): Promise<void> {
  await db.deleteFrom(table).where('link_id', '=', anyOf(linkIds)).execute()
}

/**
 * Deletes some of a link's rows and returns their number. Raw clicks have no key, so rows are
 * deleted by `ctid`. This is unique only within a partition, so each partition is deleted
 * separately. The condition repeats the link, because in a distributed table every shard has the
 * same `ctid`s.
 */
export async function deleteChunk(db: Db, table: string, linkId: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from ${sql.table(table)} where link_id = ${linkId} and ctid = any(array(
      select ctid from ${sql.table(table)} where link_id = ${linkId}
      limit ${sql.lit(CHUNK)} for update skip locked))`.execute(db)
  return Number(numAffectedRows)
}

function anyOf(linkIds: readonly number[]) {
  return sql<number>`any(${int8Array(linkIds)}::bigint[])`
}
