import type { Context } from '../context.ts'
import { type AccountScope, own, unscoped } from '../db/account-rows.ts'
import { addMember, findGroupIds, removeMember } from '../db/memberships.queries.ts'
import { type Page, type PageQuery, planPageRead } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import { countRows } from '../db/row-counts.queries.ts'
import { AppError } from '../errors.ts'
import { findLinks } from '../links/link.queries.ts'
import type { Link } from '../links/link.ts'
import { campaigns } from './campaigns.ts'

/** Lists a campaign's links, newest first. @throws AppError `not_found` */
export async function listCampaignLinks(
  scope: AccountScope & Pick<Context, 'config'>,
  id: number,
  page: PageQuery,
): Promise<Page<Link>> {
  await campaigns.get(scope, id)
  const { ids, total } = await readPageOfLinkIds(unscoped(scope), id, page)
  return { entries: await findLinks(scope, scope.config.baseUrl, ids), total }
}

/** Adds a link to a campaign of the same account. Safe to repeat. @throws AppError `not_found` */
export async function addLinkToCampaign(
  scope: AccountScope,
  id: number,
  linkId: number,
): Promise<void> {
  const found = await addMember(scope, 'campaigns', id, { column: 'link_id', id: linkId })
  if (!found) throw new AppError('not_found')
}

/** Removes a link from a campaign. Safe to repeat. @throws AppError `not_found` */
export async function removeLinkFromCampaign(
  scope: AccountScope,
  id: number,
  linkId: number,
): Promise<void> {
  const found = await removeMember(scope, 'campaigns', id, { column: 'link_id', id: linkId })
  if (!found) throw new AppError('not_found')
}

/** Returns the ids of the account's campaigns that contain a link. */
export function findCampaignIdsOfLink(scope: AccountScope, linkId: number): Promise<number[]> {
  return findGroupIds(scope, 'campaigns', linkId)
}

/** Returns the ids of a campaign's links. @throws AppError `not_found` */
export async function getCampaignLinkIds(scope: AccountScope, id: number): Promise<number[]> {
  const rows = await own(scope)
    .selectFrom('campaigns')
    .leftJoin('campaign_links', 'campaign_links.campaign_id', 'campaigns.id')
    .select('campaign_links.link_id')
    .where('campaigns.id', '=', id)
    .execute()
  if (rows.length === 0) throw new AppError('not_found')
  return rows.flatMap(({ link_id }) => link_id ?? [])
}

/** Returns the number of links of each campaign, and of their clicks so far. */
export async function readCampaignTotals(
  scope: AccountScope,
  ids: readonly number[],
): Promise<ReadonlyMap<number, { links: number; clicks: number }>> {
  if (ids.length === 0) return new Map()
  const rows = await unscoped(scope)
    .selectFrom('campaign_links')
    .leftJoin('link_order', 'link_order.link_id', 'campaign_links.link_id')
    .select(({ fn }) => [
      'campaign_id',
      fn.countAll<string>().as('links'),
      fn.sum<string | null>('clicks').as('clicks'),
    ])
    .where('campaign_id', 'in', [...ids])
    .groupBy('campaign_id')
    .execute()
  return new Map(
    rows.map(({ campaign_id, links, clicks }) => [
      campaign_id,
      { links: Number(links), clicks: Number(clicks) },
    ]),
  )
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
