import type { Selectable } from 'kysely'
import type { Context } from '../context.ts'
import { findGroupIds } from '../db/memberships.queries.ts'
import { deleteOwned, findOwned, listOwned, updateOwned } from '../db/owned.queries.ts'
import type { Page, PageQuery } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import type { ChannelTable } from '../db/schema/groups.ts'
import { AppError, invalid } from '../errors.ts'
import { normalizeOptionalText, requireText } from '../text.ts'
import type { Channel, ChannelInput, ChannelItem } from './channel.ts'
import * as items from './channel-items.queries.ts'

type Columns = Omit<Channel, 'id'>

export const MAX_NAME = 200
export const MAX_DESCRIPTION = 2000

const COLOR = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i

/** Returns a channel. @throws AppError `not_found` */
export async function getChannel(db: Db, accountId: number, id: number): Promise<Channel> {
  const channel = await findChannel(db, accountId, id)
  if (!channel) throw new AppError('not_found')
  return channel
}

/**
 * Lists the items of a channel, most recently added first.
 *
 * @throws AppError `not_found`
 */
export async function listChannelItems(
  ctx: Context,
  db: Db,
  accountId: number,
  id: number,
  page: PageQuery,
): Promise<Page<ChannelItem>> {
  await getChannel(db, accountId, id)
  const { refs, total } = await items.readPageOfItems(db, id, page)
  return { entries: await findItems(ctx, db, accountId, refs), total }
}

/** Returns the account's items with these refs, in order. Skips unknown refs. */
export function findItems(
  ctx: Context,
  db: Db,
  accountId: number,
  refs: readonly items.ItemRef[],
): Promise<ChannelItem[]> {
  return items.findItems(db, ctx.config.baseUrl, accountId, refs)
}

/** Creates a channel. @throws AppError `invalid_input` naming the field */
export async function addChannel(
  db: Db,
  accountId: number,
  input: ChannelInput & { name: string },
): Promise<Channel> {
  const { description = '', color = '', starred = false } = readFields(input)
  const name = requireText('name', input.name, MAX_NAME)
  return insertChannel(db, accountId, { name, description, color, starred })
}

/**
 * Changes the fields that are set in the input. Null clears a field.
 *
 * @throws AppError `not_found`, `invalid_input` naming the field
 */
export async function updateChannel(
  db: Db,
  accountId: number,
  id: number,
  input: ChannelInput,
): Promise<Channel> {
  const changes = readFields(input)
  if (Object.keys(changes).length === 0) return getChannel(db, accountId, id)
  const channel = await changeColumns(db, accountId, id, changes)
  if (!channel) throw new AppError('not_found')
  return channel
}

/**
 * Deletes a channel, but not its items.
 *
 * @throws AppError `not_found`
 */
export async function deleteChannel(db: Db, accountId: number, id: number): Promise<void> {
  if (!(await deleteOwned(db, 'channels', accountId, id))) throw new AppError('not_found')
}

/** Adds an item to a channel of the same account. Safe to repeat. @throws AppError `not_found` */
export async function addItemToChannel(
  db: Db,
  accountId: number,
  id: number,
  item: items.ItemRef,
): Promise<void> {
  if (!(await items.assignItem(db, accountId, id, item))) throw new AppError('not_found')
}

/** Removes an item from a channel. Safe to repeat. @throws AppError `not_found` */
export async function removeItemFromChannel(
  db: Db,
  accountId: number,
  id: number,
  item: items.ItemRef,
): Promise<void> {
  if (!(await items.unassignItem(db, accountId, id, item))) throw new AppError('not_found')
}

/** Returns the ids of the account's channels that contain a link. */
export function findChannelIdsOfLink(db: Db, accountId: number, linkId: number): Promise<number[]> {
  return findGroupIds(db, 'channels', accountId, linkId)
}

/**
 * Returns the ids of a channel's links and of the links of its QR codes.
 *
 * @throws AppError `not_found`
 */
export async function getChannelLinkIds(db: Db, accountId: number, id: number): Promise<number[]> {
  const ids = await findChannelLinkIds(db, accountId, id)
  if (!ids) throw new AppError('not_found')
  return ids
}

/** Validates the fields and returns their columns. */
function readFields({
  name,
  description,
  color,
  starred,
}: ChannelInput): Partial<Omit<Channel, 'id'>> {
  return {
    ...(name !== undefined && { name: requireText('name', name ?? '', MAX_NAME) }),
    ...(description !== undefined && {
      description: normalizeOptionalText('description', description ?? '', MAX_DESCRIPTION) ?? '',
    }),
    ...(color !== undefined && { color: color ? parseColor(color) : '' }),
    ...(starred !== undefined && { starred: starred ?? false }),
  }
}

function parseColor(color: string): string {
  if (COLOR.test(color)) return color
  throw invalid('color', 'color_hash')
}

/**
 * Returns the ids of a channel's links and of the links of its dynamic QR codes, without
 * duplicates. Returns undefined if the account has no such channel.
 */
async function findChannelLinkIds(
  db: Db,
  accountId: number,
  id: number,
): Promise<number[] | undefined> {
  const rows = await db
    .selectFrom('channels')
    .leftJoin('channel_items', 'channel_items.channel_id', 'channels.id')
    .leftJoin('qr_codes', 'qr_codes.id', 'channel_items.qr_id')
    .select(({ fn }) => fn.coalesce('channel_items.link_id', 'qr_codes.link_id').as('link_id'))
    .distinct()
    .where('channels.account_id', '=', accountId)
    .where('channels.id', '=', id)
    .execute()
  return rows.length === 0 ? undefined : rows.flatMap(({ link_id }) => link_id ?? [])
}

async function insertChannel(db: Db, accountId: number, columns: Columns): Promise<Channel> {
  const row = await db
    .insertInto('channels')
    .values({ ...columns, account_id: accountId })
    .returningAll()
    .executeTakeFirstOrThrow()
  return toChannel(row)
}

export async function listChannels(
  db: Db,
  accountId: number,
  page: PageQuery,
): Promise<Page<Channel>> {
  const columns = ['id', 'name', 'description', 'color', 'starred'] as const
  return listOwned(db, 'channels', columns, accountId, page)
}

async function findChannel(db: Db, accountId: number, id: number): Promise<Channel | undefined> {
  const row = await findOwned(db, 'channels', accountId, id)
  return row && toChannel(row)
}

/**
 * Updates a channel. Returns undefined if the account has no such channel. `changes` must not be
 * empty.
 */
async function changeColumns(
  db: Db,
  accountId: number,
  id: number,
  changes: Partial<Columns>,
): Promise<Channel | undefined> {
  const row = await updateOwned(db, 'channels', accountId, id, changes)
  return row && toChannel(row)
}

function toChannel(row: Selectable<ChannelTable>): Channel {
  const { id, name, description, color, starred } = row
  return { id, name, description, color, starred }
}
