import { sql } from 'kysely'
import { removeMember } from '../db/memberships.queries.ts'
import { type PageQuery, planPageRead } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import { countRows } from '../db/row-counts.queries.ts'
import { findLinks } from '../links/link.queries.ts'
import { shortUrlOf } from '../links/short-url.ts'
import { titleOf } from '../links/title.ts'
import { isEncodedLink } from '../qr/code-link.queries.ts'
import { getQrImageUrl } from '../qr/qr.ts'
import type { ChannelItem, ItemType } from './channel.ts'

/** The type and id of an item. */
export type ItemRef = Pick<ChannelItem, 'type' | 'id'>

/**
 * For each type of item: its table, the column in `channel_items` that refers to it, and a
 * condition for the rows that can be items.
 */
const itemSources = {
  links: { table: 'links', column: 'link_id', condition: sql`kind = 'link'` },
  bio: { table: 'bio_pages', column: 'bio_id', condition: sql`true` },
  qr: { table: 'qr_codes', column: 'qr_id', condition: sql`true` },
} as const

/**
 * Adds an item to a channel. Returns whether the account has both of them. Locks them against
 * deletion until the transaction ends.
 */
export async function assignItem(
  db: Db,
  accountId: number,
  channelId: number,
  { type, id }: ItemRef,
): Promise<boolean> {
  const { table, column, condition } = itemSources[type]
  const { rows } = await sql`
    with channel as (
      select id from channels where account_id = ${accountId} and id = ${channelId}
      for key share
    ), item as (
      select id from ${sql.table(table)}
      where account_id = ${accountId} and id = ${id} and ${condition}
      for key share
    ), added as (
      insert into channel_items (channel_id, ${sql.ref(column)})
      select channel.id, item.id from channel, item on conflict do nothing
    )
    select 1 from channel, item`.execute(db)
  return rows.length > 0
}

/** Removes an item from a channel. Returns whether the account has the channel. */
export function unassignItem(
  db: Db,
  accountId: number,
  channelId: number,
  { type, id }: ItemRef,
): Promise<boolean> {
  return removeMember(db, 'channels', accountId, channelId, {
    column: itemSources[type].column,
    id,
  })
}

/**
 * Returns one page of a channel's items, newest first, and the total. Reads along an index from the
 * nearer end, so that deep pages are fast.
 */
export async function readPageOfItems(
  db: Db,
  channelId: number,
  { limit, offset }: PageQuery,
): Promise<{ refs: ItemRef[]; total: number }> {
  const total = await countRows(db, 'channel_items', channelId)
  const { size, skip, direction, restoreOrder } = planPageRead({ limit, offset }, total)
  if (size === 0) return { refs: [], total }
  const rows = await db
    .selectFrom('channel_items')
    .select(({ fn }) => [
      fn.coalesce('link_id', 'bio_id', 'qr_id').$notNull().as('id'),
      sql<ItemType>`case when link_id is not null then 'links'
                         when bio_id is not null then 'bio' else 'qr' end`.as('type'),
    ])
    .where('channel_id', '=', channelId)
    .orderBy('channel_items.id', direction)
    .limit(size)
    .offset(skip)
    .execute()
  return { refs: restoreOrder(rows), total }
}

/** Returns the items in the order of `refs`. Omits deleted items. */
export async function findItems(
  db: Db,
  baseUrl: string,
  accountId: number,
  refs: readonly ItemRef[],
): Promise<ChannelItem[]> {
  const listIds = (itemType: ItemType) =>
    refs.filter(({ type }) => type === itemType).map(({ id }) => id)
  const allItems = [
    ...(await findLinkItems(db, baseUrl, accountId, listIds('links'))),
    ...(await findBioItems(db, baseUrl, accountId, listIds('bio'))),
    ...(await findQrItems(db, baseUrl, accountId, listIds('qr'))),
  ]
  const items = new Map(allItems.map((item) => [`${item.type} ${item.id}`, item]))
  return refs.flatMap(({ type, id }) => items.get(`${type} ${id}`) ?? [])
}

async function findLinkItems(
  db: Db,
  baseUrl: string,
  accountId: number,
  ids: readonly number[],
): Promise<ChannelItem[]> {
  const links = await findLinks(db, baseUrl, accountId, ids)
  return links.map((link) => ({
    type: 'links',
    id: link.id,
    title: titleOf(link),
    preview: link.url,
    link: link.shortUrl,
    createdAt: link.createdAt,
  }))
}

async function findBioItems(
  db: Db,
  baseUrl: string,
  accountId: number,
  ids: readonly number[],
): Promise<ChannelItem[]> {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('bio_pages')
    .select(['id', 'alias', 'title', 'created_at'])
    .where('account_id', '=', accountId)
    .where('id', 'in', ids)
    .execute()
  return rows.map(({ id, alias, title, created_at }) => {
    const page = shortUrlOf(`${baseUrl}/b`, alias)
    return { type: 'bio', id, title, preview: page, link: page, createdAt: created_at }
  })
}

async function findQrItems(
  db: Db,
  baseUrl: string,
  accountId: number,
  ids: readonly number[],
): Promise<ChannelItem[]> {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('qr_codes')
    .leftJoin('links', (join) => join.on(isEncodedLink))
    .leftJoin('domains', 'domains.id', 'links.domain_id')
    .select([
      'qr_codes.id',
      'qr_codes.alias',
      'qr_codes.name',
      'qr_codes.created_at',
      'links.alias as link_alias',
      'domains.origin',
    ])
    .where('qr_codes.account_id', '=', accountId)
    .where('qr_codes.id', 'in', ids)
    .execute()
  return rows.map(({ id, alias, name, link_alias, origin, created_at }) => {
    const image = getQrImageUrl(baseUrl, alias)
    // A static code has no short URL, so its link is the image.
    const link = link_alias === null ? image : shortUrlOf(origin ?? baseUrl, link_alias)
    return { type: 'qr', id, title: name, preview: image, link, createdAt: created_at }
  })
}
