import { randomInt } from 'node:crypto'
import type { Clock } from '../clock.ts'
import { groupIdsOf, removeMember } from '../db/memberships.queries.ts'
import { deleteOwned, findOwned } from '../db/owned.queries.ts'
import type { Page, PageQuery } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import { AppError } from '../errors.ts'
import { findLinks } from '../links/link.queries.ts'
import type { Link, LinkAddress } from '../links/link.ts'
import { normalizeAlias, parseAlias } from '../links/rules/alias.ts'
import { requireText } from '../text.ts'
import {
  assignLink,
  insertCampaign,
  listCampaigns,
  toCampaign,
  updateCampaign,
} from './campaign.queries.ts'
import type { Campaign, CampaignInput, PublicCampaign } from './campaign.ts'
import { campaignLinkIds, pageOfLinkIds } from './campaign-links.queries.ts'
import { findAnyLive, findAtPosition, findPublicCampaign, findRotator } from './visit.queries.ts'

export type Campaigns = ReturnType<typeof createCampaigns>

type Dependencies = { db: Db; baseUrl: string; clock: Clock }

export const MAX_NAME = 200

/** Draws before a campaign counts as having few live links; then all of them are looked at. */
const DRAWS = 4

/** Campaigns: groups of links, each with a rotator and a list if it has a slug or is public. */
export function createCampaigns({ db, baseUrl, clock }: Dependencies) {
  async function get(accountId: number, id: number): Promise<Campaign> {
    const row = await findOwned(db, 'campaigns', accountId, id)
    if (!row) throw new AppError('not_found')
    return toCampaign(row)
  }

  return {
    /** One page of the account's campaigns with the number of all of them. */
    list: (accountId: number, page: PageQuery) => listCampaigns(db, accountId, page),

    /** A campaign. @throws AppError `not_found` */
    get,

    /** One page of a campaign's links, newest first. @throws AppError `not_found` */
    async links(accountId: number, id: number, page: PageQuery): Promise<Page<Link>> {
      await get(accountId, id)
      const { ids, total } = await pageOfLinkIds(db, id, page)
      return { entries: await findLinks(db, baseUrl, accountId, ids), total }
    },

    /**
     * Makes a campaign, called `Campaign <id>` if it has no name.
     *
     * @throws AppError `invalid_input` naming the field, `slug_taken`
     */
    async add(accountId: number, input: CampaignInput): Promise<Campaign> {
      return insertCampaign(db, accountId, {
        name: input.name === undefined ? null : requireText('name', input.name, MAX_NAME),
        slug: input.slug ? parseAlias('slug', input.slug) : null,
        public: input.public ?? false,
      })
    },

    /**
     * Changes the name, and the fields that are given; null clears one.
     *
     * @throws AppError `not_found`, `invalid_input` naming the field, `slug_taken`
     */
    async update(
      accountId: number,
      id: number,
      { name, slug, public: open }: CampaignInput & { name: string },
    ): Promise<Campaign> {
      const campaign = await updateCampaign(db, accountId, id, {
        name: requireText('name', name, MAX_NAME),
        ...(slug !== undefined && { slug: slug && parseAlias('slug', slug) }),
        ...(open !== undefined && { public: open ?? false }),
      })
      if (!campaign) throw new AppError('not_found')
      return campaign
    },

    /** Adds a link to a campaign, both the account's own; it may be there already. */
    async assign(accountId: number, id: number, linkId: number): Promise<void> {
      if (!(await assignLink(db, accountId, id, linkId))) throw new AppError('not_found')
    },

    /** Takes a link out of a campaign; it may be out already. @throws AppError `not_found` */
    async unassign(accountId: number, id: number, linkId: number): Promise<void> {
      const link = { column: 'link_id', id: linkId } as const
      const isOwn = await removeMember(db, 'campaigns', accountId, id, link)
      if (!isOwn) throw new AppError('not_found')
    },

    /** The ids of the account's campaigns that a link is in. */
    idsOfLink: (accountId: number, linkId: number) =>
      groupIdsOf(db, 'campaigns', accountId, linkId),

    /** The ids of a campaign's links. @throws AppError `not_found` */
    async linkIds(accountId: number, id: number): Promise<number[]> {
      const ids = await campaignLinkIds(db, accountId, id)
      if (!ids) throw new AppError('not_found')
      return ids
    },

    /** Deletes a campaign; its links stay. @throws AppError `not_found` */
    async delete(accountId: number, id: number): Promise<void> {
      if (!(await deleteOwned(db, 'campaigns', accountId, id))) throw new AppError('not_found')
    },

    /**
     * Where a visit of the rotator `slug` leads: a live link of the campaign, each as likely as the
     * others; null when there is none. A draw that hits a link which is not live is drawn again,
     * which keeps the others equal and does not look at all links of a large campaign.
     *
     * @throws AppError `gone` while the account is suspended
     */
    async pickLink(slug: string): Promise<LinkAddress | null> {
      const alias = normalizeAlias(slug)
      const rotator = alias === undefined ? undefined : await findRotator(db, alias)
      if (rotator?.suspended) throw new AppError('gone')
      if (!rotator || rotator.links <= 0) return null
      for (let draw = 1; draw <= DRAWS; draw += 1) {
        const address = await findAtPosition(db, rotator.id, randomInt(rotator.links), clock())
        if (address) return address
      }
      return findAnyLive(db, rotator.id, clock())
    },

    /**
     * One page of a campaign's live links, or null unless the campaign is public.
     *
     * @throws AppError `gone` while the account is suspended
     */
    async publicList(
      username: string,
      id: number,
      page: PageQuery,
    ): Promise<PublicCampaign | null> {
      const query = { username, id, ...page, now: clock() }
      const list = await findPublicCampaign(db, baseUrl, query)
      if (list?.suspended) throw new AppError('gone')
      return list
    },
  }
}
