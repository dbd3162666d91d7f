import type { Db } from '../db/pool.ts'

/** The ids of a campaign's links, or undefined if the account has no such campaign. */
export async function campaignLinkIds(
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
