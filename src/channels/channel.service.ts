import { groupIdsOf } from '../db/memberships.queries.ts'
import { deleteOwned } from '../db/owned.queries.ts'
import type { Page, PageQuery } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import { AppError, invalid } from '../errors.ts'
import { optionalText, requireText } from '../text.ts'
import { findChannel, insertChannel, listChannels, updateChannel } from './channel.queries.ts'
import type { Channel, ChannelInput, ChannelItem } from './channel.ts'
import {
  assignItem,
  findItems,
  type ItemRef,
  pageOfItems,
  unassignItem,
} from './channel-items.queries.ts'
import { channelLinkIds } from './channel-links.queries.ts'

export type Channels = ReturnType<typeof createChannels>

export const MAX_NAME = 200
export const MAX_DESCRIPTION = 2000

const COLOR = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i

/** Channels: shelves on which an account puts links, bio pages and QR codes. */
export function createChannels({ db, baseUrl }: { db: Db; baseUrl: string }) {
  async function get(accountId: number, id: number): Promise<Channel> {
    const channel = await findChannel(db, accountId, id)
    if (!channel) throw new AppError('not_found')
    return channel
  }

  return {
    /** A channel. @throws AppError `not_found` */
    get,

    /** One page of the account's channels with the number of all of them. */
    list: (accountId: number, page: PageQuery) => listChannels(db, accountId, page),

    /** One page of what is in a channel, the last assigned first. @throws AppError `not_found` */
    async items(accountId: number, id: number, page: PageQuery): Promise<Page<ChannelItem>> {
      await get(accountId, id)
      const { refs, total } = await pageOfItems(db, id, page)
      return { entries: await findItems(db, baseUrl, accountId, refs), total }
    },

    /** Makes a channel. @throws AppError `invalid_input` naming the field */
    add(accountId: number, input: ChannelInput & { name: string }): Promise<Channel> {
      const { description = '', color = '', starred = false } = readFields(input)
      const name = requireText('name', input.name, MAX_NAME)
      return insertChannel(db, accountId, { name, description, color, starred })
    },

    /**
     * Changes the fields that are given; null clears one.
     *
     * @throws AppError `not_found`, `invalid_input` naming the field
     */
    async update(accountId: number, id: number, input: ChannelInput): Promise<Channel> {
      const changes = readFields(input)
      if (Object.keys(changes).length === 0) return get(accountId, id)
      const channel = await updateChannel(db, accountId, id, changes)
      if (!channel) throw new AppError('not_found')
      return channel
    },

    /** Puts an item into a channel, both the account's own; it may be there already. */
    async assign(accountId: number, id: number, item: ItemRef): Promise<void> {
      if (!(await assignItem(db, accountId, id, item))) throw new AppError('not_found')
    },

    /** Takes an item out of a channel; it may be out already. @throws AppError `not_found` */
    async unassign(accountId: number, id: number, item: ItemRef): Promise<void> {
      if (!(await unassignItem(db, accountId, id, item))) throw new AppError('not_found')
    },

    /** The account's items that refs name, in their order; what it does not have is left out. */
    find: (accountId: number, refs: readonly ItemRef[]) => findItems(db, baseUrl, accountId, refs),

    /** The ids of the account's channels that a link is in. */
    idsOfLink: (accountId: number, linkId: number) => groupIdsOf(db, 'channels', accountId, linkId),

    /** The ids of the links, and of those behind the codes, in a channel. @throws AppError `not_found` */
    async linkIds(accountId: number, id: number): Promise<number[]> {
      const ids = await channelLinkIds(db, accountId, id)
      if (!ids) throw new AppError('not_found')
      return ids
    },

    /** Deletes a channel; what was in it stays. @throws AppError `not_found` */
    async delete(accountId: number, id: number): Promise<void> {
      if (!(await deleteOwned(db, 'channels', accountId, id))) throw new AppError('not_found')
    },
  }
}

/** The fields that were given, as they are stored. */
function readFields({
  name,
  description,
  color,
  starred,
}: ChannelInput): Partial<Omit<Channel, 'id'>> {
  return {
    ...(name !== undefined && { name: requireText('name', name ?? '', MAX_NAME) }),
    ...(description !== undefined && {
      description: optionalText('description', description ?? '', MAX_DESCRIPTION) ?? '',
    }),
    ...(color !== undefined && { color: color ? parseColor(color) : '' }),
    ...(starred !== undefined && { starred: starred ?? false }),
  }
}

function parseColor(color: string): string {
  if (COLOR.test(color)) return color
  throw invalid('color', 'must be a color in the form #RGB or #RRGGBB')
}
