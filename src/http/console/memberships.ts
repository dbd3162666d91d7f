import { AppError, invalid } from '../../errors.ts'
import type { Services } from '../../services.ts'
import type { LinkForm } from './link-editor/form.ts'

/** What a link can be in. */
const KINDS = ['campaigns', 'channels'] as const

type Groups = Pick<Services, (typeof KINDS)[number]>
type Memberships = Pick<LinkForm, (typeof KINDS)[number]>

/** The campaigns and channels that a link is in, as the form has them. */
export async function readMemberships(
  { campaigns, channels }: Groups,
  accountId: number,
  linkId: number,
): Promise<Memberships> {
  const [inCampaigns, inChannels] = await Promise.all([
    campaigns.idsOfLink(accountId, linkId),
    channels.idsOfLink(accountId, linkId),
  ])
  return { campaigns: inCampaigns.map(String), channels: inChannels.map(String) }
}

/**
 * Refuses ids of what the account does not have, before anything is stored.
 *
 * @throws AppError `invalid_input` naming `campaigns` or `channels`
 */
export async function checkMemberships(
  groups: Groups,
  accountId: number,
  wanted: Memberships,
): Promise<void> {
  for (const kind of KINDS) {
    for (const id of wanted[kind]) {
      const isId = /^[1-9]\d{0,14}$/.test(id)
      const entry = isId && (await groups[kind].get(accountId, Number(id)).catch(noneIfAbsent))
      if (!entry) throw invalid(kind, 'names one that does not exist')
    }
  }
}

/** Puts a link into what it is to be in, and takes it out of what it was in. */
export async function changeMemberships(
  { campaigns, channels }: Groups,
  accountId: number,
  linkId: number,
  { wanted, before }: { wanted: Memberships; before: Memberships },
): Promise<void> {
  const item = { type: 'links', id: linkId } as const
  const { added, removed } = differenceOf(wanted.campaigns, before.campaigns)
  for (const id of added) await campaigns.assign(accountId, id, linkId)
  for (const id of removed) await campaigns.unassign(accountId, id, linkId)
  const shelves = differenceOf(wanted.channels, before.channels)
  for (const id of shelves.added) await channels.assign(accountId, id, item)
  for (const id of shelves.removed) await channels.unassign(accountId, id, item)
}

function differenceOf(wanted: readonly string[], before: readonly string[]) {
  return {
    added: wanted.filter((id) => !before.includes(id)).map(Number),
    removed: before.filter((id) => !wanted.includes(id)).map(Number),
  }
}

function noneIfAbsent(error: unknown): undefined {
  if (!(error instanceof AppError) || error.code !== 'not_found') throw error
  return undefined
}
