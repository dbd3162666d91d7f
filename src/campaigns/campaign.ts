import type { Page } from '../db/pagination.ts'

/** A named group of links; with a slug it also has a rotator, an address that leads to any of them. */
export type Campaign = { id: number; name: string; slug: string | null; public: boolean }

/**
 * What a client says of a campaign. On an update `undefined` leaves a field as it is and null clears
 * it; on a creation the two are the same.
 */
export type CampaignInput = { name?: string; slug?: string | null; public?: boolean | null }

/**
 * One page of what the public sees of a campaign: the live ones among its links, newest first; the
 * total counts all of its links.
 */
export type PublicCampaign = Page<{ title: string; shortUrl: string }> & {
  name: string
  username: string
  /** Whether its account is, so that nothing of it may be shown. */
  suspended: boolean
}
