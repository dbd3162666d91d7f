import { type PageQuery, planPageRead } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import { countRows } from '../db/row-counts.queries.ts'

/** Returns the ids of a campaign's links, or undefined if the account has no such campaign. */
export async function findCampaignLinkIds(
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
export async function readPageOfLinkIds(
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
