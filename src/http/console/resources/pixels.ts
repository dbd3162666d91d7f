import type { HttpContext } from '../../../context.ts'
import {
  addPixel,
  deletePixel,
  getPixel,
  listPixels,
  updatePixel,
} from '../../../pixels/pixel.service.ts'
import { PIXEL_TYPES, type Pixel, type PixelType } from '../../../pixels/pixel.ts'
import { formatMoment } from '../shell/format-day.ts'
import type { Resource } from './resource.ts'

const name = { name: 'name', label: 'Name', maxLength: 200, hint: 'Only you see this name.' }
const tag = { name: 'tag', label: 'Pixel ID', maxLength: 64, hint: 'From your provider.' }

export function pixelResource(ctx: HttpContext): Resource<Pixel> {
  const { nameOf: vendorOf } = ctx.pixelVendors
  const choices = PIXEL_TYPES.map((type) => ({ value: type, label: vendorOf(type) }))
  return {
    words: {
      section: '/console/pixels',
      name: 'pixel',
      many: 'Pixels',
      about: 'Fire ad or analytics pixels when your links are clicked.',
      deletion: 'Removed from all links.',
    },
    columns: ['Type', 'Pixel ID', 'Created'],
    nameOf: ({ name }) => name,
    cellsOf: ({ type, tag, createdAt }, zone) => [
      { text: vendorOf(type) },
      { text: tag },
      { text: formatMoment(createdAt, zone) },
    ],
    fields: {
      make: [{ name: 'type', label: 'Type', type: 'choice', choices }, name, tag],
      change: [name, tag],
    },
    valuesOf: ({ name, tag }) => ({ name, tag }),
    list: (accountId, page) => listPixels(ctx.db, accountId, page),
    get: (accountId, id) => getPixel(ctx.db, accountId, id),
    add: (accountId, { type = '', name = '', tag = '' }) =>
      addPixel(ctx.db, accountId, { type: type as PixelType, name, tag }),
    update: (accountId, id, { name = '', tag = '' }) =>
      updatePixel(ctx, ctx.db, accountId, id, { name, tag }),
    remove: (accountId, id) => deletePixel(ctx, ctx.db, accountId, id),
  }
}
