import { randomInt } from 'node:crypto'
import type { Context } from '../context.ts'
import { isUnavailable } from '../db/errors.ts'
import { findGroupIds, removeMember } from '../db/memberships.queries.ts'
import { deleteOwned, findOwned } from '../db/owned.queries.ts'
import { type Page, type PageQuery, planPageRead } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import { countRows } from '../db/row-counts.queries.ts'
import { AppError } from '../errors.ts'
import { findLinks } from '../links/link.queries.ts'
import type { Link, LinkAddress } from '../links/link.ts'
import { normalizeAlias, parseSlug } from '../links/rules/alias.ts'
import { requireText } from '../text.ts'
import * as queries from './campaign.queries.ts'
import type { Campaign, CampaignInput, PublicCampaign } from './campaign.ts'
import { drawStoredLink } from './campaign.ts'
import { findAnyActive, findAtPosition, findPublicCampaign, findRotator } from './visit.queries.ts'

export const MAX_NAME = 200

/**
 * The number of random draws. After that, all links are searched, because only a few of them are
 * active.
 */
const MAX_DRAWS = 4

export function listCampaigns(db: Db, accountId: number, page: PageQuery): Promise<Page<Campaign>> {
  return queries.listCampaigns(db, accountId, page)
}

/** Returns a campaign. @throws AppError `not_found` */
export async function getCampaign(db: Db, accountId: number, id: number): Promise<Campaign> {
  const row = await findOwned(db, 'campaigns', accountId, id)
  if (!row) throw new AppError('not_found')
  return queries.toCampaign(row)
}

/** Lists a campaign's links, newest first. @throws AppError `not_found` */
export async function listCampaignLinks(
  ctx: Context,
  db: Db,
  accountId: number,
  id: number,
  page: PageQuery,
): Promise<Page<Link>> {
  await getCampaign(db, accountId, id)
  const { ids, total } = await readPageOfLinkIds(db, id, page)
  return { entries: await findLinks(db, ctx.config.baseUrl, accountId, ids), total }
}

/**
 * Creates a campaign. Its default name is `Campaign <id>`.
 *
 * @throws AppError `invalid_input` naming the field, `slug_taken`
 */
export async function addCampaign(
  db: Db,
  accountId: number,
  input: CampaignInput,
): Promise<Campaign> {
  return queries.insertCampaign(db, accountId, {
    name: input.name === undefined ? null : requireText('name', input.name, MAX_NAME),
    slug: input.slug ? parseSlug('slug', input.slug) : null,
    public: input.public ?? false,
  })
}

/**
 * Changes the name and the fields that are set in the input. Null clears a field.
 *
 * @throws AppError `not_found`, `invalid_input` naming the field, `slug_taken`
 */
export async function updateCampaign(
  db: Db,
  accountId: number,
  id: number,
  { name, slug, public: isPublic }: CampaignInput & { name: string },
): Promise<Campaign> {
  const campaign = await queries.updateCampaign(db, accountId, id, {
    name: requireText('name', name, MAX_NAME),
    ...(slug !== undefined && { slug: slug && parseSlug('slug', slug) }),
    ...(isPublic !== undefined && { public: isPublic ?? false }),
  })
  if (!campaign) throw new AppError('not_found')
  return campaign
}

/**
 * Deletes a campaign, but not its links.
 *
 * @throws AppError `not_found`
 */
export async function deleteCampaign(db: Db, accountId: number, id: number): Promise<void> {
  if (!(await deleteOwned(db, 'campaigns', accountId, id))) throw new AppError('not_found')
}

/** Adds a link to a campaign of the same account. Safe to repeat. @throws AppError `not_found` */
export async function addLinkToCampaign(
  db: Db,
  accountId: number,
  id: number,
  linkId: number,
): Promise<void> {
  if (!(await queries.assignLink(db, accountId, id, linkId))) throw new AppError('not_found')
}

/** Removes a link from a campaign. Safe to repeat. @throws AppError `not_found` */
export async function removeLinkFromCampaign(
  db: Db,
  accountId: number,
  id: number,
  linkId: number,
): Promise<void> {
  const link = { column: 'link_id', id: linkId } as const
  const isOwn = await removeMember(db, 'campaigns', accountId, id, link)
  if (!isOwn) throw new AppError('not_found')
}

/** Returns the ids of the account's campaigns that contain a link. */
export function findCampaignIdsOfLink(
  db: Db,
  accountId: number,
  linkId: number,
): Promise<number[]> {
  return findGroupIds(db, 'campaigns', accountId, linkId)
}

/** Returns the ids of a campaign's links. @throws AppError `not_found` */
export async function getCampaignLinkIds(db: Db, accountId: number, id: number): Promise<number[]> {
  const ids = await findCampaignLinkIds(db, accountId, id)
  if (!ids) throw new AppError('not_found')
  return ids
}

/**
 * Returns a random active link of the campaign with rotator `slug`, or null if there is none. All
 * active links are equally likely. If a drawn link is inactive, draws again, which preserves equal
 * probability without reading all links of a large campaign. While the database is unavailable,
 * uses the local store.
 *
 * @throws AppError `gone` while the account is suspended, `database_unavailable`
 */
export async function drawCampaignLink(
  { clock, store }: Context,
  db: Db,
  slug: string,
): Promise<LinkAddress | null> {
  const alias = normalizeAlias(slug)
  if (alias === undefined) return null
  try {
    return await drawActiveLink(db, alias, clock())
  } catch (error) {
    if (!isUnavailable(error)) throw error
    const address = drawStoredLink(store.latest, alias, clock())
    if (address === undefined) throw error
    return address
  }
}

async function drawActiveLink(db: Db, slug: string, now: Date): Promise<LinkAddress | null> {
  const rotator = await findRotator(db, slug)
  if (rotator?.suspended) throw new AppError('gone')
  if (!rotator || rotator.links <= 0) return null
  for (let draw = 1; draw <= MAX_DRAWS; draw += 1) {
    const address = await findAtPosition(db, rotator.id, randomInt(rotator.links), now)
    if (address) return address
  }
  return findAnyActive(db, rotator.id, now)
}

/**
 * Lists a campaign's active links, or returns null if it is not public.
 *
 * @throws AppError `gone` while the account is suspended
 */
export async function listPublicCampaign(
  ctx: Context,
  db: Db,
  username: string,
  id: number,
  page: PageQuery,
): Promise<PublicCampaign | null> {
  const query = { username, id, ...page, now: ctx.clock() }
  const list = await findPublicCampaign(db, ctx.config.baseUrl, query)
  if (list?.suspended) throw new AppError('gone')
  return list
}

/** Returns the ids of a campaign's links, or undefined if the account has no such campaign. */
async function findCampaignLinkIds(
  db: Db,
  accountId: number,
  id: number,
): Promise<number[] | undefined> {
  const rows = await db
    .selectFrom('campaigns')
    .leftJoin('campaign_links', 'campaign_links.campaign_id', 'campaigns.id')
    .select('campaign_links.link_id')
    .where('campaigns.account_id', '=', accountId)
    .where('campaigns.id', '=', id)
    .execute()
  return rows.length === 0 ? undefined : rows.flatMap(({ link_id }) => link_id ?? [])
}

/** Returns the ids on one page of a campaign's links, newest first, and the total. */
async function readPageOfLinkIds(
  db: Db,
  campaignId: number,
  page: PageQuery,
): Promise<{ ids: number[]; total: number }> {
  const total = await countRows(db, 'campaign_links', campaignId)
  const { size, skip, direction, restoreOrder } = planPageRead(page, total)
  if (size === 0) return { ids: [], total }
  const rows = await db
    .selectFrom('campaign_links')
    .select('link_id')
    .where('campaign_id', '=', campaignId)
    .orderBy('link_id', direction)
    .limit(size)
    .offset(skip)
    .execute()
  return { ids: restoreOrder(rows).map(({ link_id }) => link_id), total }
}
