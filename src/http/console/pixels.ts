import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../../context.ts'
import {
  addPixel,
  deletePixel,
  getPixel,
  listPixels,
  PIXEL_TYPES,
  type Pixel,
  type PixelType,
  updatePixel,
} from '../../pixels/pixel.service.ts'
import { t, tAll } from '../../texts.ts'
import { defineForm } from './kit/form.ts'
import { registerResource } from './resources/resource.ts'
import { formatMoment } from './shell/format.ts'

/** Registers pixels: their list and forms. The type of a pixel cannot be changed. */
export function registerPixelRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { getName: getVendorName } = ctx.pixelVendors
  const fields = {
    name: { label: 'resource.name', maxLength: 200, hint: 'resource.privateName' },
    tag: { label: 'pixel.tag', maxLength: 64, hint: 'pixel.tagHint' },
  } as const
  const choices = PIXEL_TYPES.map((type) => ({ value: type, label: getVendorName(type) }))

  registerResource(app, {
    section: '/console/pixels',
    words: () => tAll('pixel.words'),
    nameOf: ({ name }: Pixel) => name,
    columns: (zone) => [
      { head: t('pixel.type'), cell: ({ type }) => getVendorName(type) },
      { head: t('pixel.tag'), cell: ({ tag }) => tag },
      { head: t('resource.created'), cell: ({ createdAt }) => formatMoment(createdAt, zone) },
    ],
    list: (accountId, slice) => listPixels(ctx.db, accountId, slice),
    get: (accountId, id) => getPixel(ctx.db, accountId, id),
    remove: (accountId, id) => deletePixel(ctx, ctx.db, accountId, id),
    form: defineForm({
      type: { type: 'select', label: 'pixel.type', choices: () => choices },
      ...fields,
    }),
    editForm: defineForm(fields),
    valuesOf: (pixel) => pixel,
    add: async (accountId, { type, ...values }) => {
      await ctx.storage.require(ctx.db, accountId)
      return addPixel(ctx.db, accountId, { type: type as PixelType, ...values })
    },
    update: async (accountId, id, values) => {
      await ctx.storage.require(ctx.db, accountId)
      return updatePixel(ctx, ctx.db, accountId, id, values)
    },
  })
}
