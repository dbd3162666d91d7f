import { sql } from 'kysely'
import type { Context } from '../context.ts'
import { own, unscoped } from '../db/account-rows.ts'
import type { RecordedTx } from '../db/recorded-tx.ts'
import type { Tx } from '../db/transaction.ts'
import { AppError, invalid } from '../errors.ts'
import type { AccountScope, Scope } from '../scope.ts'
import { addTags, countTags, dropUnusedTags, removeTags } from '../tags/link-tags.queries.ts'
import { MAX_TAGS, parseTags } from '../tags/tag.service.ts'
import { type LockedLink, listIds, lockLinks, updateEach } from './changes/bulk-links.queries.ts'
import { changeAndNotify } from './changes/change-and-notify.ts'
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
  let blocked = 0
  const { count, changed } = await changeLinks(scope, ids, 'status', (tx, links) => {
    const changeable = links.filter(({ isBlocked }) => !isBlocked)
    blocked = links.length - changeable.length
    return updateEach(tx, listIds(changeable), { status }, sql`status <> ${status}`)
  })
  return { count: count - blocked, changed, blocked }
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
    if (tagCount > MAX_TAGS) throw invalid('tags', 'tags_on_link', { max: MAX_TAGS })
    return changed
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
    const { tagIds, linkIds } = await removeTags(tx, listIds(links), parseTags('tags', names))
    await dropUnusedTags(tx, tagIds)
    return linkIds
  })
}

/** Archives or unarchives links. Visitors of archived links are still redirected. */
export async function setArchived(
  scope: Scope<Context>,
  ids: readonly number[],
  archived: boolean,
): Promise<BulkChange> {
  await scope.storage.require(scope, { isBulk: true })
  const values = { archived_at: archived ? scope.clock() : null }
  const differs = sql<boolean>`(archived_at is not null) <> ${archived}`
  return changeLinks(scope, ids, 'archived', (tx, links) =>
    updateEach(tx, listIds(links), values, differs),
  )
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
  const differs = sql<boolean>`expires_at is distinct from ${expiresAt}`
  return changeLinks(scope, ids, 'expiry', (tx, links) =>
    updateEach(tx, listIds(links), { expires_at: expiresAt }, differs),
  )
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
    return changed
  })
}

/** Removes links from a campaign of the account. */
export function removeFromCampaign(
  scope: Scope<Context>,
  ids: readonly number[],
  campaignId: number,
): Promise<BulkChange> {
  return changeLinks(scope, ids, 'none', (tx, links) =>
    deleteCampaignLinks({ ...scope, db: tx }, campaignId, listIds(links)),
  )
}

/**
 * Changes links in one transaction, publishes those that changed, and notifies all processes.
 * `affectedPart` is the part of the links that `work` changes. It returns the ids of the changed ones.
 */
function changeLinks(
  scope: Scope<Context>,
  ids: readonly number[],
  affectedPart: Recording['affectedPart'],
  work: (tx: RecordedTx, links: readonly LockedLink[]) => Promise<number[]>,
): Promise<BulkChange> {
  return changeAndNotify(scope, async (tx) => {
    const links = await lockLinks({ ...scope, db: tx }, ids)
    const recording = { actor: scope.actor, ids: listIds(links), affectedPart }
    const changed = await recordChanges(tx, recording, async (tx) => {
      const changed = await work(tx, links)
      if (affectedPart !== 'none') {
        await publishLinks({ ...scope, db: tx }, 'link.updated', changed)
      }
      return changed
    })
    return { addresses: links, result: { count: links.length, changed } }
  })
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
    on conflict do nothing returning link_id`.execute(unscoped(scope))
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
    returning link_id`.execute(unscoped(scope))
  return rows.map(({ link_id }) => link_id)
}
