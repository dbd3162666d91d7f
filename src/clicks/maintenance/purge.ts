import type { Db } from '../../db/pool.ts'
import { nameOf } from '../storage/months.ts'
import { listPartitions } from '../storage/partitions.queries.ts'
import { listRemoved } from '../storage/removed-links.queries.ts'
import { deleteChunk, deleteRemoved, deleteRows, hasMany } from './purge.queries.ts'

/** The number of links whose clicks are deleted together. */
const LINKS = 500

/**
 * Deletes the clicks of deleted links in small transactions, until none are left or `signal`
 * aborts. Safe to run concurrently and to repeat.
 */
export async function purgeRemoved(db: Db, signal?: AbortSignal): Promise<void> {
  for (;;) {
    const linkIds = await listRemoved(db, LINKS)
    if (linkIds.length === 0) return
    for (const table of ['click_days', 'click_details', 'click_imports'] as const) {
      await deleteRows(db, table, linkIds)
    }
    const months = (await listPartitions(db)).map(nameOf)
    await purge(db, 'click_visitors', ['click_visitors'], linkIds, signal)
    await purge(db, 'clicks', months, linkIds, signal)
    if (signal?.aborted) return
    await deleteRemoved(db, linkIds)
  }
}

/**
 * Deletes rows of links from a table. If a link has too many rows for one statement, deletes them in
 * chunks, from one partition of the table at a time.
 */
async function purge(
  db: Db,
  table: 'click_visitors' | 'clicks',
  partitions: readonly string[],
  linkIds: readonly number[],
  signal?: AbortSignal,
): Promise<void> {
  // Deletes all links together unless they have too many rows for one statement.
  const groups = (await hasMany(db, table, linkIds)) ? linkIds.map((id) => [id]) : [linkIds]
  for (const group of groups) {
    const [linkId] = group
    if (group.length > 1 || linkId === undefined || !(await hasMany(db, table, group))) {
      await deleteRows(db, table, group)
      continue
    }
    for (const partition of partitions) {
      while ((await deleteChunk(db, partition, linkId)) > 0) if (signal?.aborted) return
    }
  }
}
