import {
  addPixel,
  deletePixel,
  getPixel,
  listPixels,
  updatePixel,
} from '../../../pixels/pixel.service.ts'
import { PIXEL_TYPES, type Pixel, type PixelType } from '../../../pixels/pixel.ts'
import type { Services } from '../../../services.ts'
import { formatTimestamp } from '../../timestamp.ts'
import type { Thing } from './thing.ts'

const choices = PIXEL_TYPES.map((type) => ({ value: type, label: type }))
const name = { name: 'name', label: 'Name', maxLength: 200, hint: 'What you call it.' }
const tag = { name: 'tag', label: 'Tag', maxLength: 64, hint: 'What the vendor gave you.' }

export function pixelThing(ctx: Services): Thing<Pixel> {
  return {
    words: {
      section: '/console/pixels',
      name: 'pixel',
      many: 'Pixels',
      about:
        'A pixel tells a vendor of statistics or advertising of every visit of the links that name it.',
      deletion: 'Links that name it no longer do.',
    },
    columns: ['Type', 'Tag', 'Made (UTC)'],
    nameOf: ({ name }) => name,
    cellsOf: ({ type, tag, createdAt }) => [
      { text: type },
      { text: tag },
      { text: formatTimestamp(createdAt) },
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
