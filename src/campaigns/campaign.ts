import type { Page } from '../db/pagination.ts'

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
