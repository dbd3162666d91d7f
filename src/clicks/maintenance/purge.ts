import type { Db } from '../../db/pool.ts'
import { partitionName } from '../storage/months.ts'
import { listPartitions } from '../storage/partitions.queries.ts'
import { listRemovedLinks } from '../storage/removed-links.queries.ts'
import { deleteChunk, deleteRows, exceedsChunk, unlistRemovedLinks } from './purge.queries.ts'

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
    for (const table of ['click_days', 'click_details', 'click_imports'] as const) {
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
