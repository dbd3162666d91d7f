import type { Context } from '../context.ts'
import { findGroupIds } from '../db/memberships.queries.ts'
import { deleteOwned } from '../db/owned.queries.ts'
import type { Page, PageQuery } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import { AppError, invalid } from '../errors.ts'
import { normalizeOptionalText, requireText } from '../text.ts'
import * as queries from './channel.queries.ts'
import type { Channel, ChannelInput, ChannelItem } from './channel.ts'
import * as items from './channel-items.queries.ts'
import { findChannelLinkIds } from './channel-links.queries.ts'

export const MAX_NAME = 200
export const MAX_DESCRIPTION = 2000

const COLOR = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i

export function listChannels(db: Db, accountId: number, page: PageQuery): Promise<Page<Channel>> {
  return queries.listChannels(db, accountId, page)
}

/** Returns a channel. @throws AppError `not_found` */
export async function getChannel(db: Db, accountId: number, id: number): Promise<Channel> {
  const channel = await queries.findChannel(db, accountId, id)
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
  return queries.insertChannel(db, accountId, { name, description, color, starred })
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
  const channel = await queries.updateChannel(db, accountId, id, changes)
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
