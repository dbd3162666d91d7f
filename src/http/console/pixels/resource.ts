import type { HttpContext } from '../../../context.ts'
import {
  addPixel,
  deletePixel,
  getPixel,
  listPixels,
  updatePixel,
} from '../../../pixels/pixel.service.ts'
import { PIXEL_TYPES, type Pixel, type PixelType } from '../../../pixels/pixel.ts'
import { resourceMessages } from '../resources/messages.ts'
import type { Resource } from '../resources/resource.ts'
import { formatMoment } from '../shell/format-day.ts'
import { pixelMessages as messages } from './messages.ts'

/** Defines pixels as a kind of resource. */
export function createPixelResource(ctx: HttpContext): Resource<Pixel> {
  const { getName: getVendorName } = ctx.pixelVendors
  const choices = PIXEL_TYPES.map((type) => ({ value: type, label: getVendorName(type) }))
  return {
    get words() {
      return { section: '/console/pixels', ...messages.words } as const
    },
    get columns() {
      return [messages.type, messages.tag, resourceMessages.created]
    },
    nameOf: ({ name }) => name,
    cellsOf: ({ type, tag, createdAt }, zone) => [
      { text: getVendorName(type) },
      { text: tag },
      { text: formatMoment(createdAt, zone) },
    ],
    get fields() {
      const { name, privateName } = resourceMessages
      const editable = [
        { name: 'name', label: name, maxLength: 200, hint: privateName },
        { name: 'tag', label: messages.tag, maxLength: 64, hint: messages.tagHint },
      ]
      const type = { name: 'type', label: messages.type, type: 'choice', choices } as const
      return { create: [type, ...editable], edit: editable }
    },
    valuesOf: ({ name, tag }) => ({ name, tag }),
    list: (accountId, page) => listPixels(ctx.db, accountId, page),
    get: (accountId, id) => getPixel(ctx.db, accountId, id),
    add: async (accountId, { type = '', name = '', tag = '' }) => {
      await ctx.storage.require(ctx.db, accountId)
      return addPixel(ctx.db, accountId, { type: type as PixelType, name, tag })
    },
    update: async (accountId, id, { name = '', tag = '' }) => {
      await ctx.storage.require(ctx.db, accountId)
      return updatePixel(ctx, ctx.db, accountId, id, { name, tag })
    },
    remove: (accountId, id) => deletePixel(ctx, ctx.db, accountId, id),
  }
}
