import { sql } from 'kysely'
import type { Context } from '../context.ts'
import { type AccountScope, own, unscoped } from '../db/account-rows.ts'
import { addMember, findGroupIds, removeMember } from '../db/memberships.queries.ts'
import { type Page, type PageQuery, planPageRead } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import { countRows, countRowsOfEach } from '../db/row-counts.queries.ts'
import { AppError, checkAll, invalid } from '../errors.ts'
import { findLinks } from '../links/link.queries.ts'
import type { Link } from '../links/link.ts'
import { MAX_WEIGHT } from '../links/split.ts'
import { campaigns } from './campaigns.ts'

/** The maximum number of links of a campaign whose clicks a list adds up. */
const MAX_SUMMED = 100_000

/** A link of a campaign, with its weight in the rotator. */
export type CampaignLink = Link & { weight: number }

/** Lists a campaign's links, newest first. @throws AppError `not_found` */
export async function listCampaignLinks(
  scope: AccountScope & Pick<Context, 'config'>,
  id: number,
  page: PageQuery,
): Promise<Page<CampaignLink>> {
  await campaigns.get(scope, id)
  const { weights, total } = await readPageOfWeights(unscoped(scope), id, page)
  const links = await findLinks(scope, scope.config.baseUrl, [...weights.keys()])
  return { entries: links.map((link) => ({ ...link, weight: weights.get(link.id) ?? 1 })), total }
}

/**
 * Sets how often the rotator of a campaign chooses its links, by their ids. Links that are not in the
 * campaign are ignored.
 *
 * @throws AppError `not_found`, or `invalid_input` naming `weight-` and the id of a link
 */
export async function setCampaignWeights(
  scope: AccountScope,
  id: number,
  weights: ReadonlyMap<number, number>,
): Promise<void> {
  await campaigns.get(scope, id)
  checkAll(
    ...[...weights].map(
      ([link, weight]) =>
        () =>
          checkWeight(`weight-${link}`, weight),
    ),
  )
  await sql`
    update campaign_links c set weight = given.weight
    from unnest(${[...weights.keys()]}::bigint[], ${[...weights.values()]}::smallint[]) given (link_id, weight),
      campaigns
    where c.campaign_id = ${id} and c.link_id = given.link_id and c.weight <> given.weight
      and campaigns.id = c.campaign_id and campaigns.account_id = ${scope.accountId}`.execute(
    unscoped(scope),
  )
}

function checkWeight(field: string, weight: number): void {
  if (!Number.isInteger(weight) || weight < 1 || weight > MAX_WEIGHT) {
    throw invalid(field, 'whole_number_range', { min: 1, max: MAX_WEIGHT })
  }
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

/**
 * Returns the number of links of each campaign, and of their clicks so far. The clicks of campaigns with
 * more than `MAX_SUMMED` links are null, because reading them would take too long for a list.
 */
export async function readCampaignTotals(
  scope: AccountScope,
  ids: readonly number[],
): Promise<ReadonlyMap<number, { links: number; clicks: number | null }>> {
  if (ids.length === 0) return new Map()
  const links = await countRowsOfEach(unscoped(scope), 'campaign_links', ids)
  const isSummed = (id: number) => (links.get(id) ?? 0) <= MAX_SUMMED
  const rows = await unscoped(scope)
    .selectFrom('campaign_links')
    .innerJoin('link_order', 'link_order.link_id', 'campaign_links.link_id')
    .select(['campaign_id', ({ fn }) => fn.sum<string>('clicks').as('clicks')])
    .where('campaign_id', '=', sql<number>`any(${ids.filter(isSummed)}::bigint[])`)
    .groupBy('campaign_id')
    .execute()
  const clicks = new Map(rows.map((row) => [row.campaign_id, Number(row.clicks)]))
  return new Map(
    ids.map((id) => [
      id,
      { links: links.get(id) ?? 0, clicks: isSummed(id) ? (clicks.get(id) ?? 0) : null },
    ]),
  )
}

/** Returns the weights on one page of a campaign's links by their ids, newest first, and the total. */
async function readPageOfWeights(
  db: Db,
  campaignId: number,
  page: PageQuery,
): Promise<{ weights: ReadonlyMap<number, number>; total: number }> {
  const total = await countRows(db, 'campaign_links', campaignId)
  const { size, skip, direction, restoreOrder } = planPageRead(page, total)
  if (size === 0) return { weights: new Map(), total }
  const rows = await db
    .selectFrom('campaign_links')
    .select(['link_id', 'weight'])
    .where('campaign_id', '=', campaignId)
    .orderBy('link_id', direction)
    .limit(size)
    .offset(skip)
    .execute()
  const weights = new Map(restoreOrder(rows).map(({ link_id, weight }) => [link_id, weight]))
  return { weights, total }
}
