import { type Selectable, sql, type Updateable } from 'kysely'
import { listOwned, updateOwned } from '../db/owned.queries.ts'
import type { Page, PageQuery } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import type { CampaignTable } from '../db/schema/groups.ts'
import type { Campaign } from './campaign.ts'

/** Creates a campaign. Without a name, it is named after its id. */
export async function insertCampaign(
  db: Db,
  accountId: number,
  { name, slug, public: isPublic }: Omit<Campaign, 'id' | 'name'> & { name: string | null },
): Promise<Campaign> {
  const { rows } = await sql<Selectable<CampaignTable>>`
    with next as materialized (select nextval(pg_get_serial_sequence('campaigns', 'id')) as id)
    insert into campaigns (id, account_id, name, slug, public) overriding system value
    select id, ${accountId}, coalesce(${name}, 'Campaign ' || id), ${slug}, ${isPublic} from next
    returning *`.execute(db)
  const [row] = rows
  if (!row) throw new Error('a campaign was not stored')
  return toCampaign(row)
}

export async function listCampaigns(
  db: Db,
  accountId: number,
  page: PageQuery,
): Promise<Page<Campaign>> {
  return listOwned(db, 'campaigns', ['id', 'name', 'slug', 'public'], accountId, page)
}

/** Updates a campaign. Returns undefined if the account has no such campaign. */
export async function updateCampaign(
  db: Db,
  accountId: number,
  id: number,
  changes: Pick<Updateable<CampaignTable>, 'slug' | 'public'> & { name: string },
): Promise<Campaign | undefined> {
  const row = await updateOwned(db, 'campaigns', accountId, id, changes)
  return row && toCampaign(row)
}

/**
 * Adds a link to a campaign. Returns whether the account has both of them. Locks them against
 * concurrent deletion.
 */
export async function assignLink(
  db: Db,
  accountId: number,
  campaignId: number,
  linkId: number,
): Promise<boolean> {
  const { rows } = await sql`
    with campaign as (
      select id from campaigns where account_id = ${accountId} and id = ${campaignId}
      for key share
    ), link as (
      select id from links where account_id = ${accountId} and id = ${linkId} and kind = 'link'
      for key share
    ), added as (
      insert into campaign_links (campaign_id, link_id)
      select campaign.id, link.id from campaign, link on conflict do nothing
    )
    select 1 from campaign, link`.execute(db)
  return rows.length > 0
}

export function toCampaign(row: Selectable<CampaignTable>): Campaign {
  return { id: row.id, name: row.name, slug: row.slug, public: row.public }
}
