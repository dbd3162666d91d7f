import { invalid } from '../errors.ts'
import { tAll } from '../texts.ts'
import { choiceField, privateName, textField } from './field.ts'
import { defineResource } from './resource.ts'

const PIXEL_TYPES = [
  'vendor01pixel',
  'vendor02pixel',
  'vendor03pixel',
  'vendor04pixel',
  'vendor05pixel',
  'vendor06pixel',
  'vendor07pixel',
  'vendor08pixel',
  'vendor09',
  'vendor10',
  'vendor11',
  'vendor12',
  'vendor13',
] as const

const TAG = /^[A-Za-z0-9_.:-]{1,64}$/

/**
 * Tracking pixels of analytics and advertising vendors, which are requested when a link is visited.
 * Tags are written into pages, so they can only have a few safe characters.
 */
export const pixels = defineResource({
  table: 'pixels',
  part: 'pixel',
  fields: {
    type: {
      ...choiceField({
        choices: PIXEL_TYPES,
        label: 'pixel.type',
        nameOf: (type, { pixelVendors }) => pixelVendors.getName(type),
      }),
      isFixed: true,
    },
    name: privateName,
    tag: {
      ...textField({
        max: 256,
        description: 'The tag ID from the vendor.',
        label: 'pixel.tag',
        hint: 'pixel.tagHint',
        maxLength: 64,
      }),
      read: parseTag,
    },
  },
  listed: ['type', 'name', 'tag'],
  api: {
    listPath: '/pixels',
    path: '/pixel',
    collection: 'pixels',
    tag: 'pixels',
    noun: 'pixel',
    summaries: {
      list: 'List pixels',
      create: 'Add a pixel',
      update: 'Update a pixel',
      remove: 'Delete a pixel',
    },
    create: {
      fields: { type: 'required', name: 'required', tag: 'required' },
      example: { type: 'vendor01pixel', name: 'Shop', tag: 'AB-1234' },
    },
    update: {
      fields: { name: 'optional', tag: 'required' },
      example: { tag: 'AB-5678' },
      ignoresEmpty: true,
    },
    entry: ['id', 'type', 'name', 'tag', 'date'],
  },
  pages: {
    section: '/console/pixels',
    icon: 'target',
    words: () => tAll('pixel.words'),
    title: 'name',
    columns: ['type', 'tag', 'createdAt'],
  },
})

function parseTag(tag: string | null): string {
  if (tag !== null && TAG.test(tag)) return tag
  throw invalid('tag', 'pixel_tag')
}
