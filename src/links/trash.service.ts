import { sql } from 'kysely'
import { isAgent } from '../actor.ts'
import { readTotals } from '../clicks/read.ts'
import type { Context } from '../context.ts'
import { own, unscoped } from '../db/account-rows.ts'
import { type Page, type PageQuery, planPageRead } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import { countRows } from '../db/row-counts.queries.ts'
import { inTransaction } from '../db/transaction.ts'
import { AppError } from '../errors.ts'
import { findLinksUnderReview } from '../holds/reserve.queries.ts'
import type { AccountScope, Scope } from '../scope.ts'
import { dropUnusedTags, findTagIds } from '../tags/link-tags.queries.ts'
import { shortUrlOf } from '../urls/short-url.ts'
import { listIds, lockLinks } from './changes/bulk-links.queries.ts'
import { changeAndNotify } from './changes/change-and-notify.ts'
import {
  lockSomeTrashed,
  lockTrashed,
  moveFromTrash,
  moveToTrash,
} from './changes/trash.queries.ts'
import { publishLinks } from './link-events.ts'
import { removeLinks } from './remove-links.queries.ts'
import { recordChanges } from './versions/record-changes.ts'

/** A link in the trash. */
type TrashEntry = {
  id: number
  shortUrl: string
  url: string
  title: string | null
  clicks: number
  deletedAt: Date
}

type Row = Omit<TrashEntry, 'shortUrl' | 'clicks'> & { alias: string; origin: string | null }

/** The number of days that a link stays in the trash. */
export const TRASH_DAYS = 30

/**
 * Moves links to the trash. Returns the number of links and, as `changed`, the ids of those that
 * can be restored. Links that an admin disabled, or that are waiting for review, are deleted
 * permanently and their aliases are held, or not at all for an agent, which could not undo that.
 * `undoes` is the version that the deletion undoes.
 */
export function deleteLinks(
  scope: Scope<Context>,
  ids: readonly number[],
  undoes?: number,
): Promise<{ count: number; changed: number[] }> {
  return changeAndNotify(scope, async (tx) => {
    const locked = await lockLinks({ ...scope, db: tx }, ids)
    const underReview = await findLinksUnderReview(tx, listIds(locked))
    const links = isAgent(scope.actor) ? locked.filter(({ id }) => !underReview.has(id)) : locked
    const all = listIds(links)
    const changed = all.filter((id) => !underReview.has(id))
    const tagIds = await findTagIds(tx, all)
    await publishLinks({ ...scope, db: tx }, 'link.deleted', all)
    const recording = { actor: scope.actor, ids: changed, undoes, affectedPart: 'deleted' } as const
    await recordChanges(tx, recording, (tx) => moveToTrash({ ...scope, db: tx }, changed))
    await removeLinks(
      tx,
      all.filter((id) => underReview.has(id)),
    )
    await dropUnusedTags(tx, tagIds)
    return { addresses: links, result: { count: links.length, changed } }
  })
}

/**
 * Restores links from the trash and returns their ids. Links with a destination that is held for
 * the account stay in the trash. `undoes` is the version that this undoes.
 *
 * @throws AppError `too_many_links` if the account would exceed its limit
 */
export function restoreLinks(
  scope: Scope<Context>,
  ids: readonly number[],
  undoes?: number,
): Promise<number[]> {
  return scope.quotas.links.use(scope, ids.length, (allowed) => {
    if (allowed < ids.length) throw new AppError('too_many_links')
    return changeAndNotify(scope, async (tx) => {
      const links = await lockTrashed({ ...scope, db: tx }, ids, { onlyRestorable: true })
      const restored = listIds(links)
      const recording = {
        actor: scope.actor,
        ids: restored,
        undoes,
        affectedPart: 'deleted',
      } as const
      await recordChanges(tx, recording, (tx) => moveFromTrash({ ...scope, db: tx }, links))
      await publishLinks({ ...scope, db: tx }, 'link.created', restored)
      return { addresses: links, result: restored }
    })
  })
}

/** Returns the number of links in an account's trash. */
export function countTrash(scope: AccountScope): Promise<number> {
  return countRows(unscoped(scope), 'deleted_links', scope.accountId)
}

/** Lists the links in an account's trash, most recently deleted first. */
export async function listTrash(scope: Scope<Context>, page: PageQuery): Promise<Page<TrashEntry>> {
  const total = await countTrash(scope)
  return { entries: await readTrash(scope, scope.config.baseUrl, page, total), total }
}

/** Deletes links in the trash permanently. Returns their number. */
export function deletePermanently(scope: Scope<Context>, ids: readonly number[]): Promise<number> {
  return changeAndNotify(scope, async (tx) => {
    const links = await lockTrashed({ ...scope, db: tx }, ids)
    await removeLinks(tx, listIds(links))
    return { addresses: [], result: links.length }
  })
}

const BATCH = 500

/** Permanently deletes all links in an account's trash, in batches. Returns their number. */
export async function emptyOwnTrash(scope: Scope<Context>): Promise<number> {
  for (let total = 0; ; ) {
    const ids = await listOldestTrashIds(scope, BATCH)
    const count = await deletePermanently(scope, ids)
    total += count
    if (count === 0) return total
  }
}

/**
 * Permanently deletes links that have been in the trash long enough, or the links of a domain.
 * Works in batches until none are left or the signal aborts. Returns the number of deleted links.
 * Safe to run concurrently.
 */
export async function emptyTrash(
  db: Db,
  selection: { domainId: number } | { olderThanDays: number } = { olderThanDays: TRASH_DAYS },
  signal?: AbortSignal,
): Promise<number> {
  for (let total = 0; ; ) {
    const count = await inTransaction(db, async (tx) => {
      const ids = await lockSomeTrashed(tx, selection, BATCH)
      await removeLinks(tx, ids)
      return ids.length
    })
    total += count
    if (count < BATCH || signal?.aborted) return total
  }
}

/**
 * Returns one page of an account's trash, which contains `total` links, most recently deleted
 * first.
 */
async function readTrash(
  scope: AccountScope,
  baseUrl: string,
  page: PageQuery,
  total: number,
): Promise<TrashEntry[]> {
  const { size, skip, direction, restoreOrder } = planPageRead(page, total)
  if (size === 0) return []
  const sqlDirection = sql.raw(direction)
  const { rows } = await sql<Row>`
    select links.id, alias, url, meta_title as title, origin, deleted_at as "deletedAt"
    from (
      select link_id, deleted_at from deleted_links where account_id = ${scope.accountId}
      order by deleted_at ${sqlDirection}, link_id ${sqlDirection} limit ${size} offset ${skip}
    ) trash
    join links on links.id = trash.link_id left join domains on domains.id = domain_id
    order by deleted_at ${sqlDirection}, links.id ${sqlDirection}`.execute(unscoped(scope))
  const totals = await readTotals(
    unscoped(scope),
    rows.map(({ id }) => id),
  )
  return restoreOrder(rows).map(({ alias, origin, ...row }) => ({
    ...row,
    shortUrl: shortUrlOf(origin ?? baseUrl, alias),
    clicks: totals.get(row.id)?.clicks ?? 0,
  }))
}

/** Returns the ids of the links that have been in an account's trash longest. */
async function listOldestTrashIds(scope: AccountScope, limit: number): Promise<number[]> {
  const rows = await own(scope)
    .selectFrom('deleted_links')
    .select('link_id')
    .orderBy('deleted_at')
    .limit(limit)
    .execute()
  return rows.map(({ link_id }) => link_id)
}
