import {
  addChannel,
  deleteChannel,
  getChannel,
  listChannels,
  updateChannel,
} from '../../../channels/channel.service.ts'
import type { Channel } from '../../../channels/channel.ts'
import type { HttpContext } from '../../../context.ts'
import { t, tAll } from '../../../texts.ts'
import type { Resource, Values } from '../resources/resource.ts'

/** Defines channels as a kind of resource. */
export function createChannelResource(ctx: HttpContext): Resource<Channel> {
  return {
    get words() {
      return { section: '/console/channels', ...tAll('channel.words') } as const
    },
    get columns() {
      return [t('channel.color'), t('channel.starred')]
    },
    nameOf: ({ name }) => name,
    cellsOf: ({ color, starred }) => [
      { color },
      { text: starred ? t('channel.isStarred') : t('channel.notStarred') },
    ],
    get fields() {
      const fields = [
        { name: 'name', label: t('channel.name'), maxLength: 200 },
        {
          name: 'description',
          label: t('channel.description'),
          type: 'multiline' as const,
          maxLength: 2000,
          optional: true,
        },
        {
          name: 'color',
          label: t('channel.color'),
          maxLength: 7,
          optional: true,
          hint: t('channel.colorHint'),
        },
        { name: 'starred', label: t('channel.starred'), type: 'check' as const },
      ]
      return { create: fields, edit: fields }
    },
    valuesOf: ({ name, description, color, starred }) => ({
      name,
      description,
      color,
      starred: starred ? 'on' : '',
    }),
    hasDetailsPage: true,
    list: (accountId, page) => listChannels(ctx.db, accountId, page),
    get: (accountId, id) => getChannel(ctx.db, accountId, id),
    add: async (accountId, values) => {
      await ctx.storage.require(ctx.db, accountId)
      return addChannel(ctx.db, accountId, toChannelInput(values))
    },
    update: async (accountId, id, values) => {
      await ctx.storage.require(ctx.db, accountId)
      return updateChannel(ctx.db, accountId, id, toChannelInput(values))
    },
    remove: (accountId, id) => deleteChannel(ctx.db, accountId, id),
  }
}

function toChannelInput({ name = '', description = '', color = '', starred = '' }: Values) {
  return { name, description, color: color.trim(), starred: starred !== '' }
}
