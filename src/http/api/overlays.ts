import { Type } from '@sinclair/typebox'
import type { HttpContext } from '../../context.ts'
import {
  addOverlay,
  deleteOverlay,
  getOverlay,
  listOverlays,
  updateOverlay,
} from '../../overlays/overlay.service.ts'
import type { OverlayEntry as StoredEntry } from '../../overlays/overlay.ts'
import { OVERLAY_TYPES } from '../../overlays/overlay-input.ts'
import { parsePathId } from '../request/path-id.ts'
import { formatTimestamp } from '../timestamp.ts'
import type { ApiApp } from './api-app.ts'
import type { RunOnce } from './idempotency.ts'
import { normalizeBody } from './normalize-body.ts'
import { presentPage, readPage } from './pagination.ts'
import {
  addErrorReplies,
  Clearable,
  createListReply,
  Id,
  ListQuery,
  MessageReply,
  Text,
  Timestamp,
} from './schemas.ts'

const tags = ['overlays and splash pages']
const Params = Type.Object({ id: Type.String({ description: 'ID of the overlay.' }) })

const OverlayType = Type.String({ description: OVERLAY_TYPES.join(', '), maxLength: 20 })
const fields = {
  name: Text(200, { description: 'A name for your own reference.' }),
  text: Text(5000, { description: 'The text; its first line is the heading.' }),
}
const optionalFields = {
  button: Clearable(Text(100, { description: 'The label of the button.' })),
  link: Clearable(Text(8192, { description: 'The URL that the button or image links to.' })),
  image: Clearable(Text(8192, { description: 'The URL of the image.' })),
  options: Clearable(
    Type.Array(Text(200), { maxItems: 100, description: 'The 2 to 20 choices of a poll.' }),
  ),
}

const OverlayCreate = Type.Object(
  { type: OverlayType, ...fields, ...optionalFields },
  {
    examples: [
      { type: 'poll', name: 'Drinks', text: 'Tea or coffee?', options: ['Tea', 'Coffee'] },
    ],
  },
)
const OverlayUpdate = Type.Object(
  {
    type: Type.Optional(OverlayType),
    ...Type.Partial(Type.Object(fields)).properties,
    ...optionalFields,
  },
  {
    description: 'Absent or null fields keep their values; "" clears a field.',
    examples: [{ name: 'Hot drinks' }],
  },
)

const entryFields = { id: Id, type: OverlayType, name: Type.String(), date: Timestamp }
const OverlayEntry = Type.Object(entryFields)
const OverlayDetails = Type.Object({
  ...entryFields,
  text: Type.String(),
  button: Type.String(),
  link: Type.String(),
  image: Type.String(),
  options: Type.Array(Type.String()),
})

/** Registers the routes for call-to-action overlays. Legacy clients use only the list. */
export function registerOverlayRoutes(app: ApiApp, ctx: HttpContext, runOnce: RunOnce): void {
  const { config } = ctx

  app.get(
    '/overlay',
    {
      config: { access: { scope: 'read' } },
      schema: {
        tags,
        summary: 'List call-to-action overlays',
        querystring: ListQuery,
        response: addErrorReplies(createListReply('cta', OverlayEntry, config.listError)),
      },
    },
    async ({ account, query }) => {
      const page = readPage(query)
      const { entries, total } = await listOverlays(ctx.db, account.id, page)
      return presentPage('cta', entries.map(present), page, total, config.listError)
    },
  )

  app.get(
    '/overlay/:id',
    {
      config: { access: { scope: 'read' } },
      schema: {
        tags,
        summary: 'Get an overlay',
        params: Params,
        response: addErrorReplies(Type.Object({ error: Type.Literal(0), details: OverlayDetails })),
      },
    },
    async ({ account, params }) => {
      const overlay = await getOverlay(ctx.db, account.id, parsePathId(params.id))
      const { text, button, link, image, options } = overlay
      const content = { text, button: button ?? '', link: link ?? '', image: image ?? '', options }
      return { error: 0 as const, details: { ...present(overlay), ...content } }
    },
  )

  app.post(
    '/overlay/add',
    {
      config: { access: { scope: 'links' } },
      schema: {
        tags,
        summary: 'Create an overlay',
        body: OverlayCreate,
        response: addErrorReplies(Type.Object({ error: Type.Literal(0), id: Id })),
      },
      preValidation: normalizeBody('create'),
    },
    (request) =>
      runOnce(request, {
        work: (db) => addOverlay(ctx, db, request.account.id, request.body),
        present: ({ id }) => ({ error: 0 as const, id }),
      }),
  )

  app.put(
    '/overlay/:id/update',
    {
      config: { access: { scope: 'links' } },
      schema: {
        tags,
        summary: 'Update an overlay',
        params: Params,
        body: OverlayUpdate,
        response: addErrorReplies(MessageReply),
      },
      preValidation: normalizeBody('update'),
    },
    async ({ account, params, body }) => {
      await updateOverlay(ctx, ctx.db, account.id, parsePathId(params.id), body)
      return { error: 0 as const, message: 'Overlay has been updated successfully.' }
    },
  )

  app.delete(
    '/overlay/:id/delete',
    {
      config: { access: { scope: 'links' } },
      schema: {
        tags,
        summary: 'Delete an overlay and its answers',
        params: Params,
        response: addErrorReplies(MessageReply),
      },
    },
    async ({ account, params }) => {
      await deleteOverlay(ctx, ctx.db, account.id, parsePathId(params.id))
      return { error: 0 as const, message: 'Overlay has been deleted successfully.' }
    },
  )
}

function present({ id, type, name, createdAt }: StoredEntry) {
  return { id, type, name, date: formatTimestamp(createdAt) }
}
