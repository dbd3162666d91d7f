import { sql } from 'kysely'
import type { Tx } from '../db/transaction.ts'

/**
 * Adds locked links to a campaign. Returns the ids of the links that were added, or undefined if
 * the account has no such campaign.
 */
export async function insertCampaignLinks(
  tx: Tx,
  accountId: number,
  campaignId: number,
  ids: readonly number[],
): Promise<number[] | undefined> {
  const campaign = await tx
    .selectFrom('campaigns')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', '=', campaignId)
    .forKeyShare()
    .executeTakeFirst()
  if (!campaign) return undefined
  const { rows } = await sql<{ link_id: number }>`
    insert into campaign_links (campaign_id, link_id)
    select ${campaignId}, id from unnest(${[...ids]}::bigint[]) id
    on conflict do nothing returning link_id`.execute(tx)
  return rows.map(({ link_id }) => link_id)
}

/** Removes links from a campaign of an account. Returns the ids of the links that were removed. */
export async function deleteCampaignLinks(
  tx: Tx,
  accountId: number,
  campaignId: number,
  ids: readonly number[],
): Promise<number[]> {
  const { rows } = await sql<{ link_id: number }>`
    delete from campaign_links using campaigns
    where campaign_id = ${campaignId} and campaigns.id = campaign_id and account_id = ${accountId}
      and link_id = any(${[...ids]}::bigint[])
    returning link_id`.execute(tx)
  return rows.map(({ link_id }) => link_id)
}
