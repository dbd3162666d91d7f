import { sql } from 'kysely'
import type { Db } from './pool.ts'
import type { CampaignLinkTable, ChannelItemTable } from './schema/groups.ts'

/** The kinds of groups, with the table of their members and its group column. */
const memberTables = {
  campaigns: { table: 'campaign_links', group: 'campaign_id' },
  channels: { table: 'channel_items', group: 'channel_id' },
} as const satisfies {
  campaigns: { table: 'campaign_links'; group: keyof CampaignLinkTable }
  channels: { table: 'channel_items'; group: keyof ChannelItemTable }
}

type Groups = keyof typeof memberTables
type Member = { column: Exclude<keyof ChannelItemTable, 'id' | 'channel_id'>; id: number }

/** Returns the ids of the account's groups that contain a link, oldest first. */
export async function findGroupIds(
  db: Db,
  groups: Groups,
  accountId: number,
  linkId: number,
): Promise<number[]> {
  const { table, group } = memberTables[groups]
  const { rows } = await sql<{ id: number }>`
    select g.id from ${sql.table(table)} m
    join ${sql.table(groups)} g on g.id = m.${sql.ref(group)}
    where m.link_id = ${linkId} and g.account_id = ${accountId}
    order by g.id`.execute(db)
  return rows.map(({ id }) => id)
}

/** Removes a member from a group. Returns whether the account has this group. */
export async function removeMember(
  db: Db,
  groups: Groups,
  accountId: number,
  groupId: number,
  { column, id }: Member,
): Promise<boolean> {
  const { table, group } = memberTables[groups]
  const { rows } = await sql`
    with owned as (
      select id from ${sql.table(groups)} where account_id = ${accountId} and id = ${groupId}
    ), removed as (
      delete from ${sql.table(table)} m using owned
      where m.${sql.ref(group)} = owned.id and m.${sql.ref(column)} = ${id}
    )
    select 1 from owned`.execute(db)
  return rows.length > 0
}
