import { sql } from 'kysely'
import { int8Array } from '../../db/pg-binary.ts'
import type { Db } from '../../db/pool.ts'
import { partitionName } from '../storage/months.ts'
import { listPartitions } from '../storage/partitions.queries.ts'
import { listRemovedLinks } from '../storage/removed-links.queries.ts'

/** The number of rows of a table deleted per statement. */
const CHUNK = 5000

/** The number of links whose clicks are deleted together. */
const LINKS_PER_PASS = 500

/**
 * Deletes the clicks of deleted links in small transactions, until none are left or `signal`
 * aborts. Safe to run concurrently and to repeat. Two processes do not wait for each other if they
 * begin at different ends.
 */
export async function purgeRemovedClicks(
  db: Db,
  { signal, order = 'asc' }: { signal?: AbortSignal | undefined; order?: 'asc' | 'desc' } = {},
): Promise<void> {
  for (let after: number | undefined; ; ) {
    const linkIds = await listRemovedLinks(db, { after, order, limit: LINKS_PER_PASS })
    if (linkIds.length === 0) return
    after = linkIds.at(-1)
    for (const table of [
      'click_days',
      'click_details',
      'click_imports',
      'uncounted_days',
    ] as const) {
      await deleteRows(db, table, linkIds)
    }
    const months = (await listPartitions(db)).map(partitionName)
    await deleteFromTable(db, 'click_visitors', ['click_visitors'], linkIds, signal)
    await deleteFromTable(db, 'clicks', months, linkIds, signal)
    if (signal?.aborted) return
    await unlistRemovedLinks(db, linkIds)
  }
}

/**
 * Deletes rows of links from a table. If a link has too many rows for one statement, deletes them
 * in chunks, from one partition of the table at a time.
 */
async function deleteFromTable(
  db: Db,
  table: 'click_visitors' | 'clicks',
  partitions: readonly string[],
  linkIds: readonly number[],
  signal?: AbortSignal,
): Promise<void> {
  // Deletes the rows of all links together unless they are too many for one statement.
  const groups = (await exceedsChunk(db, table, linkIds)) ? linkIds.map((id) => [id]) : [linkIds]
  for (const group of groups) {
    const [linkId] = group
    if (group.length > 1 || linkId === undefined || !(await exceedsChunk(db, table, group))) {
      await deleteRows(db, table, group)
      continue
    }
    for (const partition of partitions) {
      while ((await deleteChunk(db, partition, linkId)) > 0) if (signal?.aborted) return
    }
  }
}

/** Removes links from the list of deleted links. Call this once none of their clicks are stored. */
async function unlistRemovedLinks(db: Db, linkIds: readonly number[]): Promise<void> {
  await db.deleteFrom('removed_links').where('link_id', '=', anyOf(linkIds)).execute()
}

/** Returns whether links have more rows in a table than one statement deletes. */
async function exceedsChunk(
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

type Table =
  | 'click_days'
  | 'click_details'
  | 'click_imports'
  | 'click_visitors'
  | 'clicks'
  | 'uncounted_days'

/** Deletes all rows of links. */
async function deleteRows(db: Db, table: Table, linkIds: readonly number[]): Promise<void> {
  await db.deleteFrom(table).where('link_id', '=', anyOf(linkIds)).execute()
}

/**
 * Deletes some of a link's rows and returns their number. Raw clicks have no key, so rows are
 * deleted by `ctid`. This is unique only within a partition, so each partition is deleted
 * separately. The condition repeats the link, because in a distributed table every shard has the
 * same `ctid`s.
 */
async function deleteChunk(db: Db, table: string, linkId: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from ${sql.table(table)} where link_id = ${linkId} and ctid = any(array(
      select ctid from ${sql.table(table)} where link_id = ${linkId}
      limit ${sql.lit(CHUNK)} for update skip locked))`.execute(db)
  return Number(numAffectedRows)
}

function anyOf(linkIds: readonly number[]) {
  return sql<number>`any(${int8Array(linkIds)}::bigint[])`
}
