import { randomInt } from 'node:crypto'
import type { Entry, Lookups } from '../db/local-store.ts'
import type { Page } from '../db/pagination.ts'
import { AppError } from '../errors.ts'
import type { LinkAddress } from '../links/link.ts'

/**
 * A named group of links. With a slug, it also has a rotator, a URL that redirects to any of them.
 */
export type Campaign = { id: number; name: string; slug: string | null; public: boolean }

/**
 * The properties of a campaign as sent by a client. In an update, `undefined` leaves a field
 * unchanged and null clears it. In a creation, both select the default.
 */
export type CampaignInput = { name?: string; slug?: string | null; public?: boolean | null }

/**
 * One page of a public campaign, with its active links, newest first. The total counts all of its
 * links.
 */
export type PublicCampaign = Page<{ title: string; shortUrl: string }> & {
  name: string
  username: string
  /** Whether the account is suspended. If so, the list is not shown. */
  suspended: boolean
}

/**
 * Returns a random active link of a campaign from the local store, or null if there is none. All
 * active links are equally likely. Returns undefined if the store does not have the campaign.
 *
 * @throws AppError `gone` while the account is suspended
 */
export function drawStoredLink(
  { get, find, list }: Lookups,
  slug: string,
  now: Date,
): LinkAddress | null | undefined {
  const campaign = find('campaign', slug)
  const account = campaign && get('account', Number(campaign.value.account_id))
  const members = campaign && list('campaign_link', String(campaign.id))
  if (!account || !members) return undefined
  if (account.value.suspended_at !== null) throw new AppError('gone')
  while (members.length > 0) {
    const [member] = members.splice(randomInt(members.length), 1)
    const link = member && get('link', Number(member.value.link_id))
    if (link && isActive(link, now)) return toAddress(link)
  }
  return null
}

function isActive({ value }: Entry, now: Date): boolean {
  const { status, starts_at: start, ends_at: end } = value
  const isBetween =
    (start === null || new Date(String(start)) <= now) &&
    (end === null || new Date(String(end)) > now)
  return status === 'active' && isBetween
}

function toAddress({ name, value }: Entry): LinkAddress {
  const domainId = value.domain_id === null ? null : Number(value.domain_id)
  return { domainId, alias: (name ?? '').replace(/^\d*\//, '') }
}
