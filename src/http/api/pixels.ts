import { Type } from '@sinclair/typebox'
import type { HttpContext } from '../../context.ts'
import {
  addPixel,
  deletePixel,
  listPixels,
  MAX_NAME,
  PIXEL_TYPES,
  type Pixel,
  type PixelType,
  updatePixel,
} from '../../pixels/pixel.service.ts'
import { parsePathId } from '../request/path-id.ts'
import { formatTimestamp } from '../timestamp.ts'
import type { ApiApp } from './api-app.ts'
import type { RunOnce } from './idempotency.ts'
import { normalizeBody } from './normalize-body.ts'
import { presentPage, readPage } from './pagination.ts'
import {
  addErrorReplies,
  createListReply,
  Id,
  ListQuery,
  MessageReply,
  Text,
  Timestamp,
} from './schemas.ts'

const tags = ['pixels']
const Params = Type.Object({ id: Type.String({ description: 'ID of the pixel.' }) })

const name = Text(MAX_NAME, { description: 'A name for your own reference.' })
const tag = Text(256, { description: 'The tag ID from the vendor.' })

const PixelCreate = Type.Object(
  { type: Type.Unsafe<PixelType>({ type: 'string', enum: PIXEL_TYPES }), name, tag },
  { examples: [{ type: 'vendor01pixel', name: 'Shop', tag: 'AB-1234' }] },
)
const PixelUpdate = Type.Object(
  { name: Type.Optional(name), tag },
  { examples: [{ tag: 'AB-5678' }] },
)

const PixelEntry = Type.Object({
  id: Id,
  type: Type.String(),
  name: Type.String(),
  tag: Type.String(),
  date: Timestamp,
})

export function registerPixelRoutes(app: ApiApp, ctx: HttpContext, runOnce: RunOnce): void {
  const { config } = ctx

  app.get(
    '/pixels',
    {
      config: { access: { scope: 'read' } },
      schema: {
        tags,
        summary: 'List pixels',
        querystring: ListQuery,
        response: addErrorReplies(createListReply('pixels', PixelEntry, config.listError)),
      },
    },
    async ({ account, query }) => {
      const page = readPage(query)
      const { entries, total } = await listPixels(ctx.db, account.id, page)
      return presentPage('pixels', entries.map(present), page, total, config.listError)
    },
  )

  app.post(
    '/pixel/add',
    {
      config: { access: { scope: 'links' } },
      schema: {
        tags,
        summary: 'Add a pixel',
        body: PixelCreate,
        response: addErrorReplies(Type.Object({ error: Type.Literal(0), id: Id })),
      },
      preValidation: normalizeBody('create'),
    },
    async (request) => {
      await ctx.storage.require(ctx.db, request.account.id)
      return runOnce(request, {
        work: (db) => addPixel(db, request.account.id, request.body),
        present: ({ id }) => ({ error: 0 as const, id }),
      })
    },
  )

  app.put(
    '/pixel/:id/update',
    {
      config: { access: { scope: 'links' } },
      schema: {
        tags,
        summary: 'Update a pixel',
        params: Params,
        body: PixelUpdate,
        response: addErrorReplies(MessageReply),
      },
      // Neither field can be cleared, so `""` is ignored as it is when creating.
      preValidation: normalizeBody('create'),
    },
    async ({ account, params, body }) => {
      await ctx.storage.require(ctx.db, account.id)
      await updatePixel(ctx, ctx.db, account.id, parsePathId(params.id), body)
      return { error: 0 as const, message: 'Pixel has been updated successfully.' }
    },
  )

  app.delete(
    '/pixel/:id/delete',
    {
      config: { access: { scope: 'links' } },
      schema: {
        tags,
        summary: 'Delete a pixel',
        params: Params,
        response: addErrorReplies(MessageReply),
      },
    },
    async ({ account, params }) => {
      await deletePixel(ctx, ctx.db, account.id, parsePathId(params.id))
      return { error: 0 as const, message: 'Pixel has been deleted successfully.' }
    },
  )
}

function present({ id, type, name, tag, createdAt }: Pixel) {
  return { id, type, name, tag, date: formatTimestamp(createdAt) }
}
