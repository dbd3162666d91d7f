import { sql } from 'kysely'
import type { Context } from '../context.ts'
import { own, unscoped } from '../db/account-rows.ts'
import { notify } from '../db/notify.ts'
import type { RecordedTx } from '../db/recorded-tx.ts'
import { type Tx, transact } from '../db/transaction.ts'
import { AppError, invalid } from '../errors.ts'
import type { AccountScope, Scope } from '../scope.ts'
import { addTags, countTags, dropUnusedTags, removeTags } from '../tags/link-tags.queries.ts'
import { MAX_TAGS, parseTags } from '../tags/tag.service.ts'
import {
  type LockedLink,
  lockLinks,
  setArchivedAt,
  setExpiresAt,
  setStatuses,
} from './changes/bulk-links.queries.ts'
import type { LinkStatus } from './link.ts'
import { publishLinks } from './link-events.ts'
import { parseExpiry } from './rules/expiry.ts'
import { type Recording, recordChanges } from './versions/record-changes.ts'

/**
 * `count` is the number of requested links that exist and may be changed, `changed` the ids of
 * those that changed.
 */
export type BulkChange = { count: number; changed: number[] }

/**
 * Disables or enables links. Skips unknown ids, and links that an admin disabled. `blocked` is the
 * number of the latter.
 */
export async function setLinkStatuses(
  scope: Scope<Context>,
  ids: readonly number[],
  status: LinkStatus,
): Promise<BulkChange & { blocked: number }> {
  // Versions take storage. Links can always be disabled, but not again and again if there are many.
  if (status === 'active' && ids.length > 1) await scope.storage.require(scope, { isBulk: true })
  return changeLinks(scope, ids, 'status', async (tx, links) => {
    const changeable = links.filter(({ isBlocked }) => !isBlocked)
    const changed = await setStatuses(tx, listIds(changeable), status)
    await publishLinks({ ...scope, db: tx }, 'link.updated', changed)
    return { count: changeable.length, changed, blocked: links.length - changeable.length }
  })
}

/**
 * Adds tags to links.
 *
 * @throws AppError `invalid_input` naming `tags` if a tag is invalid or a link would have too many
 * tags
 */
export async function tagLinks(
  scope: Scope<Context>,
  ids: readonly number[],
  names: readonly string[],
): Promise<BulkChange> {
  await scope.storage.require(scope, { isBulk: true })
  return changeLinks(scope, ids, 'tags', async (tx, links) => {
    const tags = parseTags('tags', names)
    const tagged = links.map(({ id }) => ({ linkId: id, tags }))
    const changed = await addTags({ ...scope, db: tx }, tagged)
    const tagCount = Math.max(0, ...(await countTags(tx, listIds(links))))
    if (tagCount > MAX_TAGS) {
      throw invalid('tags', 'tags_on_link', { max: MAX_TAGS })
    }
    await publishLinks({ ...scope, db: tx }, 'link.updated', changed)
    return { count: links.length, changed }
  })
}

/**
 * Removes tags from links.
 *
 * @throws AppError `invalid_input` naming `tags`
 */
export function untagLinks(
  scope: Scope<Context>,
  ids: readonly number[],
  names: readonly string[],
): Promise<BulkChange> {
  return changeLinks(scope, ids, 'tags', async (tx, links) => {
    const tags = parseTags('tags', names)
    const { tagIds, linkIds } = await removeTags(tx, listIds(links), tags)
    await dropUnusedTags(tx, tagIds)
    await publishLinks({ ...scope, db: tx }, 'link.updated', linkIds)
    return { count: links.length, changed: linkIds }
  })
}

/** Archives or unarchives links. Visitors of archived links are still redirected. */
export async function setArchived(
  scope: Scope<Context>,
  ids: readonly number[],
  archived: boolean,
): Promise<BulkChange> {
  await scope.storage.require(scope, { isBulk: true })
  return changeLinks(scope, ids, 'archived', async (tx, links) => {
    const changed = await setArchivedAt(tx, listIds(links), archived ? scope.clock() : null)
    await publishLinks({ ...scope, db: tx }, 'link.updated', changed)
    return { count: links.length, changed }
  })
}

/**
 * Sets the expiration of links. The format is that of the API; an empty string removes the
 * expiration.
 *
 * @throws AppError `invalid_input` naming `expiry`
 */
export async function setExpirations(
  scope: Scope<Context>,
  ids: readonly number[],
  expiry: string,
): Promise<BulkChange> {
  await scope.storage.require(scope, { isBulk: true })
  const expiresAt = expiry === '' ? null : parseExpiry('expiry', expiry, scope.clock())
  return changeLinks(scope, ids, 'expiry', async (tx, links) => {
    const changed = await setExpiresAt(tx, listIds(links), expiresAt)
    await publishLinks({ ...scope, db: tx }, 'link.updated', changed)
    return { count: links.length, changed }
  })
}

/** Adds links to a campaign. @throws AppError `not_found` for a campaign of another account */
export async function addToCampaign(
  scope: Scope<Context>,
  ids: readonly number[],
  campaignId: number,
): Promise<BulkChange> {
  await scope.storage.require(scope, { isBulk: true })
  return changeLinks(scope, ids, 'none', async (tx, links) => {
    const changed = await insertCampaignLinks({ ...scope, db: tx }, campaignId, listIds(links))
    if (!changed) throw new AppError('not_found')
    return { count: links.length, changed }
  })
}

/** Removes links from a campaign of the account. */
export function removeFromCampaign(
  scope: Scope<Context>,
  ids: readonly number[],
  campaignId: number,
): Promise<BulkChange> {
  return changeLinks(scope, ids, 'none', async (tx, links) => {
    const changed = await deleteCampaignLinks({ ...scope, db: tx }, campaignId, listIds(links))
    return { count: links.length, changed }
  })
}

/**
 * Changes links in one transaction and notifies all processes. `affectedPart` is the part of the
 * links that `work` changes.
 */
async function changeLinks<Result>(
  scope: Scope<Context>,
  ids: readonly number[],
  affectedPart: Recording['affectedPart'],
  work: (tx: RecordedTx, links: readonly LockedLink[]) => Promise<Result>,
): Promise<Result> {
  const { links, result } = await transact(scope, async (tx) => {
    const links = await lockLinks(tx, ids)
    const recording = { actor: scope.actor, ids: listIds(links), affectedPart }
    const result = await recordChanges(unscoped(tx), recording, (tx) => work(tx, links))
    await notify(
      unscoped(tx),
      links.map(({ domainId, alias }) => ({ kind: 'link', domainId, alias })),
    )
    return { links, result }
  })
  for (const { domainId, alias } of links) scope.visitLinks.invalidate(domainId, alias)
  return result
}

function listIds(links: readonly LockedLink[]): number[] {
  return links.map(({ id }) => id)
}

/**
 * Adds locked links to a campaign. Returns the ids of the links that were added, or undefined if
 * the account has no such campaign.
 */
async function insertCampaignLinks(
  scope: AccountScope<Tx>,
  campaignId: number,
  ids: readonly number[],
): Promise<number[] | undefined> {
  const campaign = await own(scope)
    .selectFrom('campaigns')
    .select('id')
    .where('id', '=', campaignId)
    .forKeyShare()
    .executeTakeFirst()
  if (!campaign) return undefined
  const { rows } = await sql<{ link_id: number }>`
    insert into campaign_links (campaign_id, link_id)
    select ${campaignId}, id from unnest(${[...ids]}::bigint[]) id
    on conflict do nothing returning link_id`.execute(scope.db)
  return rows.map(({ link_id }) => link_id)
}

/** Removes links from a campaign of an account. Returns the ids of the links that were removed. */
async function deleteCampaignLinks(
  scope: AccountScope<Tx>,
  campaignId: number,
  ids: readonly number[],
): Promise<number[]> {
  const { rows } = await sql<{ link_id: number }>`
    delete from campaign_links using campaigns
    where campaign_id = ${campaignId} and campaigns.id = campaign_id and account_id = ${scope.accountId}
      and link_id = any(${[...ids]}::bigint[])
    returning link_id`.execute(scope.db)
  return rows.map(({ link_id }) => link_id)
}
