import { sql } from 'kysely'
import { type AccountScope, unscoped } from './account-rows.ts'
import type { CampaignLinks, ChannelItems } from './tables.generated.ts'

/** The kinds of groups, with the table of their members and its group column. */
const memberTables = {
  campaigns: { table: 'campaign_links', group: 'campaign_id' },
  channels: { table: 'channel_items', group: 'channel_id' },
} as const satisfies {
  campaigns: { table: 'campaign_links'; group: keyof CampaignLinks }
  channels: { table: 'channel_items'; group: keyof ChannelItems }
}

/** For each column of members: the table of its rows, and a condition for those that can be members. */
const memberSources = {
  link_id: { source: 'links', condition: sql`kind = 'link'` },
  bio_id: { source: 'bio_pages', condition: sql`true` },
  qr_id: { source: 'qr_codes', condition: sql`true` },
} as const

type Groups = keyof typeof memberTables
type Member = { column: keyof typeof memberSources; id: number }

/** Returns the ids of the account's groups that contain a link, oldest first. */
export async function findGroupIds(
  scope: AccountScope,
  groups: Groups,
  linkId: number,
): Promise<number[]> {
  const { table, group } = memberTables[groups]
  const { rows } = await sql<{ id: number }>`
    select g.id from ${sql.table(table)} m
    join ${sql.table(groups)} g on g.id = m.${sql.ref(group)}
    where m.link_id = ${linkId} and g.account_id = ${scope.accountId}
    order by g.id`.execute(unscoped(scope))
  return rows.map(({ id }) => id)
}

/**
 * Adds a member to a group. Returns whether the account has both of them. Locks them against
 * deletion until the transaction ends.
 */
export async function addMember(
  scope: AccountScope,
  groups: Groups,
  groupId: number,
  { column, id }: Member,
): Promise<boolean> {
  const { accountId } = scope
  const { table, group } = memberTables[groups]
  const { source, condition } = memberSources[column]
  const { rows } = await sql`
    with owned as (
      select id from ${sql.table(groups)} where account_id = ${accountId} and id = ${groupId}
      for key share
    ), member as (
      select id from ${sql.table(source)}
      where account_id = ${accountId} and id = ${id} and ${condition}
      for key share
    ), added as (
      insert into ${sql.table(table)} (${sql.ref(group)}, ${sql.ref(column)})
      select owned.id, member.id from owned, member on conflict do nothing
    )
    select 1 from owned, member`.execute(unscoped(scope))
  return rows.length > 0
}

/** Removes a member from a group. Returns whether the account has this group. */
export async function removeMember(
  scope: AccountScope,
  groups: Groups,
  groupId: number,
  { column, id }: Member,
): Promise<boolean> {
  const { table, group } = memberTables[groups]
  const { rows } = await sql`
    with owned as (
      select id from ${sql.table(groups)} where account_id = ${scope.accountId} and id = ${groupId}
    ), removed as (
      delete from ${sql.table(table)} m using owned
      where m.${sql.ref(group)} = owned.id and m.${sql.ref(column)} = ${id}
    )
    select 1 from owned`.execute(unscoped(scope))
  return rows.length > 0
}
