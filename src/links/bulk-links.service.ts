import { notify } from '../db/notify.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction } from '../db/transaction.ts'
import { invalid } from '../errors.ts'
import {
  addTags,
  countTags,
  dropUnusedTags,
  removeTags,
  tagIdsOf,
} from '../tags/link-tags.queries.ts'
import { MOST_TAGS, parseTags } from '../tags/tag.ts'
import { type LockedLink, lockLinks, setStatuses } from './bulk-links.queries.ts'
import type { LinkStatus } from './link.ts'
import { publishLinks } from './link-events.ts'
import { removeLinks } from './remove-links.queries.ts'
import type { ActingContext } from './versions/actor.ts'
import { recordChanges } from './versions/record-changes.ts'
import type { RecordedTx } from './versions/recorded-tx.ts'

/**
 * Disables or enables links. Skips unknown ids and links disabled by an admin; `blocked` counts the
 * latter.
 */
export function setLinkStatuses(
  ctx: ActingContext,
  db: Db,
  accountId: number,
  ids: readonly number[],
  status: LinkStatus,
): Promise<{ count: number; blocked: number }> {
  return change(ctx, db, accountId, ids, async (tx, links) => {
    const own = links.filter(({ blocked }) => !blocked)
    const changed = await setStatuses(tx, idsOf(own), status)
    await publishLinks(ctx, tx, accountId, 'link.updated', changed)
    return { count: own.length, blocked: links.length - own.length }
  })
}

/** Deletes links and their clicks. Returns the number of links deleted. */
export function deleteLinks(
  ctx: ActingContext,
  db: Db,
  accountId: number,
  ids: readonly number[],
): Promise<number> {
  return change(ctx, db, accountId, ids, async (tx, links) => {
    const tagIds = await tagIdsOf(tx, idsOf(links))
    await publishLinks(ctx, tx, accountId, 'link.deleted', idsOf(links))
    await removeLinks(tx, idsOf(links))
    await dropUnusedTags(tx, tagIds)
    return links.length
  })
}

/**
 * Adds tags to links and returns the number of links.
 *
 * @throws AppError `invalid_input` naming `tags`, also if a link would exceed the limit of tags
 */
export function tagLinks(
  ctx: ActingContext,
  db: Db,
  accountId: number,
  ids: readonly number[],
  names: readonly string[],
): Promise<number> {
  return change(ctx, db, accountId, ids, async (tx, links) => {
    const tags = parseTags('tags', names)
    const tagged = links.map(({ id }) => ({ linkId: id, tags }))
    const changed = await addTags(tx, accountId, tagged)
    const most = Math.max(0, ...(await countTags(tx, idsOf(links))))
    if (most > MOST_TAGS) {
      throw invalid('tags', `would be more than ${MOST_TAGS} on one of these links`)
    }
    await publishLinks(ctx, tx, accountId, 'link.updated', changed)
    return links.length
  })
}

/**
 * Removes tags from links and returns the number of links.
 *
 * @throws AppError `invalid_input` naming `tags`
 */
export function untagLinks(
  ctx: ActingContext,
  db: Db,
  accountId: number,
  ids: readonly number[],
  names: readonly string[],
): Promise<number> {
  return change(ctx, db, accountId, ids, async (tx, links) => {
    const tags = parseTags('tags', names)
    const { tagIds, linkIds } = await removeTags(tx, idsOf(links), tags)
    await dropUnusedTags(tx, tagIds)
    await publishLinks(ctx, tx, accountId, 'link.updated', linkIds)
    return links.length
  })
}

/** Changes links in one transaction and notifies all processes. */
async function change<Result>(
  ctx: ActingContext,
  db: Db,
  accountId: number,
  ids: readonly number[],
  work: (tx: RecordedTx, links: readonly LockedLink[]) => Promise<Result>,
): Promise<Result> {
  const { links, result } = await inTransaction(db, async (tx) => {
    const links = await lockLinks(tx, accountId, ids)
    const recording = { actor: ctx.actor, ids: idsOf(links) }
    const result = await recordChanges(tx, recording, (tx) => work(tx, links))
    await notify(
      tx,
      links.map(({ domainId, alias }) => ({ kind: 'link', domainId, alias })),
    )
    return { links, result }
  })
  for (const { domainId, alias } of links) ctx.visitLinks.invalidate(domainId, alias)
  return result
}

function idsOf(links: readonly LockedLink[]): number[] {
  return links.map(({ id }) => id)
}
