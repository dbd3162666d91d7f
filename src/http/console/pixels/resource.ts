import type { HttpContext } from '../../../context.ts'
import {
  addPixel,
  deletePixel,
  getPixel,
  listPixels,
  updatePixel,
} from '../../../pixels/pixel.service.ts'
import { PIXEL_TYPES, type Pixel, type PixelType } from '../../../pixels/pixel.ts'
import { t, tAll } from '../../../texts.ts'
import type { Resource } from '../resources/resource.ts'
import { formatMoment } from '../shell/format-day.ts'

/** Defines pixels as a kind of resource. */
export function createPixelResource(ctx: HttpContext): Resource<Pixel> {
  const { getName: getVendorName } = ctx.pixelVendors
  const choices = PIXEL_TYPES.map((type) => ({ value: type, label: getVendorName(type) }))
  return {
    get words() {
      return { section: '/console/pixels', ...tAll('pixel.words') } as const
    },
    get columns() {
      return [t('pixel.type'), t('pixel.tag'), t('resource.created')]
    },
    nameOf: ({ name }) => name,
    cellsOf: ({ type, tag, createdAt }, zone) => [
      { text: getVendorName(type) },
      { text: tag },
      { text: formatMoment(createdAt, zone) },
    ],
    get fields() {
      const editable = [
        {
          name: 'name',
          label: t('resource.name'),
          maxLength: 200,
          hint: t('resource.privateName'),
        },
        { name: 'tag', label: t('pixel.tag'), maxLength: 64, hint: t('pixel.tagHint') },
      ]
      const type = { name: 'type', label: t('pixel.type'), type: 'choice', choices } as const
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
