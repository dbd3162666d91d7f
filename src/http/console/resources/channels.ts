import {
  addChannel,
  deleteChannel,
  getChannel,
  listChannels,
  updateChannel,
} from '../../../channels/channel.service.ts'
import type { Channel } from '../../../channels/channel.ts'
import type { HttpContext } from '../../../context.ts'
import type { Resource, Values } from './resource.ts'

export function channelResource(ctx: HttpContext): Resource<Channel> {
  const fields: Resource<Channel>['fields']['make'] = [
    { name: 'name', label: 'Name', maxLength: 200 },
    {
      name: 'description',
      label: 'Description',
      type: 'multiline',
      maxLength: 2000,
      optional: true,
    },
    { name: 'color', label: 'Color', maxLength: 7, optional: true, hint: 'For example #0b6b5a.' },
    { name: 'starred', label: 'Starred', type: 'check' },
  ]
  return {
    words: {
      section: '/console/channels',
      name: 'channel',
      many: 'Channels',
      about: 'Group links, bio pages and QR codes, for example by social network.',
      deletion: 'Its items are kept.',
    },
    columns: ['Color', 'Starred'],
    nameOf: ({ name }) => name,
    cellsOf: ({ color, starred }) => [{ color }, { text: starred ? '★ yes' : 'no' }],
    fields: { make: fields, change: fields },
    valuesOf: ({ name, description, color, starred }) => ({
      name,
      description,
      color,
      starred: starred ? 'on' : '',
    }),
    opens: true,
    list: (accountId, page) => listChannels(ctx.db, accountId, page),
    get: (accountId, id) => getChannel(ctx.db, accountId, id),
    add: (accountId, values) => addChannel(ctx.db, accountId, inputOf(values)),
    update: (accountId, id, values) => updateChannel(ctx.db, accountId, id, inputOf(values)),
    remove: (accountId, id) => deleteChannel(ctx.db, accountId, id),
  }
}

function inputOf({ name = '', description = '', color = '', starred = '' }: Values) {
  return { name, description, color: color.trim(), starred: starred !== '' }
}
