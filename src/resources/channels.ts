import { invalid } from '../errors.ts'
import { normalizeOptionalText } from '../text.ts'
import { tAll } from '../texts.ts'
import type { EntryOf } from './definition.ts'
import { flagField, optionalTextField, textField } from './field.ts'
import { defineResource } from './resource.ts'

/** A named group of links, bio pages and QR codes. */
export type Channel = EntryOf<typeof channels>

const COLOR = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i

/** Channels. A deletion does not delete their items. */
export const channels = defineResource({
  table: 'channels',
  fields: {
    name: textField({ max: 200, label: 'channel.name' }),
    description: {
      ...optionalTextField({ max: 2000, label: 'channel.description', type: 'multiline' }),
      read: (text: string | null) => normalizeOptionalText('description', text, 2000) ?? '',
    },
    color: {
      ...optionalTextField({
        max: 32,
        description: 'Color of the badge, #RGB or #RRGGBB.',
        label: 'channel.color',
        hint: 'channel.colorHint',
        maxLength: 7,
      }),
      read: (color: string | null) => (color ? parseColor(color) : ''),
    },
    starred: flagField({ label: 'channel.starred' }),
  },
  listed: ['name', 'description', 'color', 'starred'],
  api: {
    listPath: '/channels',
    path: '/channel',
    collection: 'channels',
    tag: 'channels',
    noun: 'channel',
    summaries: {
      list: 'List channels',
      create: 'Create a channel',
      update: 'Update a channel',
      remove: 'Delete a channel',
    },
    create: {
      fields: {
        name: 'required',
        description: 'optional',
        color: 'optional',
        starred: 'optional',
      },
      example: { name: 'Spring', color: '#00ff7f', starred: true },
    },
    update: {
      fields: {
        name: 'clearable',
        description: 'clearable',
        color: 'clearable',
        starred: 'clearable',
      },
      description: 'Absent or null fields keep their values; "" clears any field except the name.',
      example: { starred: false },
    },
    entry: ['id', 'name', 'description', 'color', 'starred'],
    created: ['id', 'name', 'description', 'color', 'starred'],
    updated: ['message', 'id', 'name', 'description', 'color', 'starred'],
  },
  pages: {
    section: '/console/channels',
    words: () => tAll('channel.words'),
    title: 'name',
    columns: ['color', 'starred'],
  },
})

function parseColor(color: string): string {
  if (COLOR.test(color)) return color
  throw invalid('color', 'color_hash')
}
