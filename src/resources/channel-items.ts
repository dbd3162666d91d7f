import { sql } from 'kysely'
import type { Context } from '../context.ts'
import { type AccountScope, own, unscoped } from '../db/account-rows.ts'
import { addMember, findGroupIds, removeMember } from '../db/memberships.queries.ts'
import { type Page, type PageQuery, planPageRead } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import { countRows } from '../db/row-counts.queries.ts'
import { AppError } from '../errors.ts'
import { findLinks } from '../links/link.queries.ts'
import { titleOf } from '../links/link.ts'
import { isEncodedLink } from '../qr/code-link.queries.ts'
import { getQrImageUrl } from '../qr/qr.ts'
import { shortUrlOf } from '../urls/short-url.ts'
import { channels } from './channels.ts'

export const ITEM_TYPES = ['links', 'bio', 'qr'] as const
export type ItemType = (typeof ITEM_TYPES)[number]

/** The type and id of an item. */
export type ItemRef = { type: ItemType; id: number }

export type ChannelItem = ItemRef & {
  title: string
  /** The URL of the content: the destination of a link, a bio page, or the image of a QR code. */
  preview: string
  /** The URL that a visitor opens. */
  link: string
  createdAt: Date
}

/** The columns that refer to items. */
const COLUMNS = { links: 'link_id', bio: 'bio_id', qr: 'qr_id' } as const

type ItemScope = AccountScope & Pick<Context, 'config'>

/** Lists a channel's items, most recently added first. @throws AppError `not_found` */
export async function listChannelItems(
  scope: ItemScope,
  id: number,
  page: PageQuery,
): Promise<Page<ChannelItem>> {
  await channels.get(scope, id)
  const { refs, total } = await readPageOfItems(unscoped(scope), id, page)
  return { entries: await findItems(scope, refs), total }
}

/** Adds an item to a channel of the same account. Safe to repeat. @throws AppError `not_found` */
export async function addItemToChannel(
  scope: AccountScope,
  channelId: number,
  { type, id }: ItemRef,
): Promise<void> {
  const found = await addMember(scope, 'channels', channelId, { column: COLUMNS[type], id })
  if (!found) throw new AppError('not_found')
}

/** Removes an item from a channel. Safe to repeat. @throws AppError `not_found` */
export async function removeItemFromChannel(
  scope: AccountScope,
  channelId: number,
  { type, id }: ItemRef,
): Promise<void> {
  const found = await removeMember(scope, 'channels', channelId, { column: COLUMNS[type], id })
  if (!found) throw new AppError('not_found')
}

/** Returns the ids of the account's channels that contain a link. */
export function findChannelIdsOfLink(scope: AccountScope, linkId: number): Promise<number[]> {
  return findGroupIds(scope, 'channels', linkId)
}

/**
 * Returns the ids of a channel's links and of the links of its dynamic QR codes, without
 * duplicates.
 *
 * @throws AppError `not_found`
 */
export async function getChannelLinkIds(scope: AccountScope, id: number): Promise<number[]> {
  const rows = await own(scope)
    .selectFrom('channels')
    .leftJoin('channel_items', 'channel_items.channel_id', 'channels.id')
    .leftJoin('qr_codes', 'qr_codes.id', 'channel_items.qr_id')
    .select(({ fn }) => fn.coalesce('channel_items.link_id', 'qr_codes.link_id').as('link_id'))
    .distinct()
    .where('channels.id', '=', id)
    .execute()
  if (rows.length === 0) throw new AppError('not_found')
  return rows.flatMap(({ link_id }) => link_id ?? [])
}

/**
 * Returns one page of a channel's items, newest first, and the total. Reads along an index from the
 * nearer end, so that deep pages are fast.
 */
async function readPageOfItems(
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

/** Returns the account's items in the order of `refs`. Omits unknown ones. */
export async function findItems(
  scope: ItemScope,
  refs: readonly ItemRef[],
): Promise<ChannelItem[]> {
  const listIds = (itemType: ItemType) =>
    refs.filter(({ type }) => type === itemType).map(({ id }) => id)
  const allItems = [
    ...(await findLinkItems(scope, listIds('links'))),
    ...(await findBioItems(scope, listIds('bio'))),
    ...(await findQrItems(scope, listIds('qr'))),
  ]
  const items = new Map(allItems.map((item) => [`${item.type} ${item.id}`, item]))
  return refs.flatMap(({ type, id }) => items.get(`${type} ${id}`) ?? [])
}

async function findLinkItems(scope: ItemScope, ids: readonly number[]): Promise<ChannelItem[]> {
  const links = await findLinks(scope, scope.config.baseUrl, ids)
  return links.map((link) => ({
    type: 'links',
    id: link.id,
    title: titleOf(link),
    preview: link.url,
    link: link.shortUrl,
    createdAt: link.createdAt,
  }))
}

async function findBioItems(scope: ItemScope, ids: readonly number[]): Promise<ChannelItem[]> {
  if (ids.length === 0) return []
  const { baseUrl } = scope.config
  const rows = await own(scope)
    .selectFrom('bio_pages')
    .select(['id', 'alias', 'title', 'created_at'])
    .where('id', 'in', ids)
    .execute()
  return rows.map(({ id, alias, title, created_at }) => {
    const page = shortUrlOf(`${baseUrl}/b`, alias)
    return { type: 'bio', id, title, preview: page, link: page, createdAt: created_at }
  })
}

async function findQrItems(scope: ItemScope, ids: readonly number[]): Promise<ChannelItem[]> {
  if (ids.length === 0) return []
  const { baseUrl } = scope.config
  const rows = await own(scope)
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
    .where('qr_codes.id', 'in', ids)
    .execute()
  return rows.map(({ id, alias, name, link_alias, origin, created_at }) => {
    const image = getQrImageUrl(baseUrl, alias)
    // A static code has no short URL, so its link is the image.
    const link = link_alias === null ? image : shortUrlOf(origin ?? baseUrl, link_alias)
    return { type: 'qr', id, title: name, preview: image, link, createdAt: created_at }
  })
}
