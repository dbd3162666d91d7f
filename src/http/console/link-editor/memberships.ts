import {
  addLinkToCampaign,
  findCampaignIdsOfLink,
  getCampaign,
  removeLinkFromCampaign,
} from '../../../campaigns/campaign.service.ts'
import {
  addItemToChannel,
  findChannelIdsOfLink,
  getChannel,
  removeItemFromChannel,
} from '../../../channels/channel.service.ts'
import type { HttpContext } from '../../../context.ts'
import { AppError, invalid } from '../../../errors.ts'
import type { LinkForm } from './form.ts'

type Db = HttpContext['db']
type Memberships = Pick<LinkForm, 'campaigns' | 'channels'>

/** Returns the campaigns and channels of a link, as form values. */
export async function readMemberships(
  db: Db,
  accountId: number,
  linkId: number,
): Promise<Memberships> {
  const [campaignIds, channelIds] = await Promise.all([
    findCampaignIdsOfLink(db, accountId, linkId),
    findChannelIdsOfLink(db, accountId, linkId),
  ])
  return { campaigns: campaignIds.map(String), channels: channelIds.map(String) }
}

/**
 * Rejects ids that do not belong to the account, before anything is stored.
 *
 * @throws AppError `invalid_input` naming `campaigns` or `channels`
 */
export async function checkMemberships(
  db: Db,
  accountId: number,
  selected: Memberships,
): Promise<void> {
  for (const [kind, getEntry] of [
    ['campaigns', getCampaign],
    ['channels', getChannel],
  ] as const) {
    for (const id of selected[kind]) {
      const isId = /^[1-9]\d{0,14}$/.test(id)
      const entry = isId && (await getEntry(db, accountId, Number(id)).catch(ignoreNotFound))
      if (!entry) throw invalid(kind, 'unknown_entry')
    }
  }
}

/** Adds a link to newly selected campaigns and channels and removes it from deselected ones. */
export async function changeMemberships(
  db: Db,
  accountId: number,
  linkId: number,
  { selected, previous }: { selected: Memberships; previous: Memberships },
): Promise<void> {
  const item = { type: 'links', id: linkId } as const
  const campaigns = compareIds(selected.campaigns, previous.campaigns)
  for (const id of campaigns.added) await addLinkToCampaign(db, accountId, id, linkId)
  for (const id of campaigns.removed) await removeLinkFromCampaign(db, accountId, id, linkId)
  const channels = compareIds(selected.channels, previous.channels)
  for (const id of channels.added) await addItemToChannel(db, accountId, id, item)
  for (const id of channels.removed) await removeItemFromChannel(db, accountId, id, item)
}

function compareIds(selected: readonly string[], previous: readonly string[]) {
  return {
    added: selected.filter((id) => !previous.includes(id)).map(Number),
    removed: previous.filter((id) => !selected.includes(id)).map(Number),
  }
}

function ignoreNotFound(error: unknown): undefined {
  if (!(error instanceof AppError) || error.code !== 'not_found') throw error
  return undefined
}
