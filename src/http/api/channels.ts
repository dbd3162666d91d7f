import { Type } from '@sinclair/typebox'
import {
  addChannel,
  addItemToChannel,
  deleteChannel,
  listChannelItems,
  listChannels,
  MAX_DESCRIPTION,
  MAX_NAME,
  updateChannel,
} from '../../channels/channel.service.ts'
import { type ChannelItem, ITEM_TYPES, type ItemType } from '../../channels/channel.ts'
import type { HttpContext } from '../../context.ts'
import { parsePathId } from '../request/path-id.ts'
import { formatDate } from '../timestamp.ts'
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
} from './schemas.ts'

const tags = ['channels']
const Params = Type.Object({ id: Type.String({ description: 'ID of the channel.' }) })
const AssignParams = Type.Object({
  channelid: Type.String({ description: 'ID of the channel.' }),
  type: Type.Unsafe<ItemType>({ type: 'string', enum: ITEM_TYPES }),
  itemid: Type.String({ description: 'ID of the item within its type.' }),
})

const fields = {
  name: Text(MAX_NAME),
  description: Text(MAX_DESCRIPTION),
  color: Text(32, { description: 'Color of the badge, #RGB or #RRGGBB.' }),
  starred: Type.Boolean(),
}

const ChannelCreate = Type.Object(
  {
    name: fields.name,
    description: Type.Optional(fields.description),
    color: Type.Optional(fields.color),
    starred: Type.Optional(fields.starred),
  },
  { examples: [{ name: 'Spring', color: '#00ff7f', starred: true }] },
)

const ChannelUpdate = Type.Object(
  {
    name: Clearable(fields.name),
    description: Clearable(fields.description),
    color: Clearable(fields.color),
    starred: Clearable(fields.starred),
  },
  {
    description: 'Absent or null fields keep their values; "" clears any field except the name.',
    examples: [{ starred: false }],
  },
)

const replyFields = {
  id: Id,
  name: Type.String(),
  description: Type.String(),
  color: Type.String(),
  starred: Type.Boolean(),
}
const ChannelEntry = Type.Object(replyFields)
const ItemEntry = Type.Object({
  type: Type.Unsafe<ItemType>({ type: 'string', enum: ITEM_TYPES }),
  id: Id,
  title: Type.String(),
  preview: Type.String({
    description: 'URL of the link’s destination, the bio page or the QR code’s image.',
  }),
  link: Type.String({ description: 'URL that visitors open.' }),
  date: Type.String({ description: 'YYYY-MM-DD', pattern: '^\\d{4}-\\d\\d-\\d\\d$' }),
})

export function registerChannelRoutes(app: ApiApp, ctx: HttpContext, runOnce: RunOnce): void {
  const { config } = ctx

  app.get(
    '/channels',
    {
      config: { access: { scope: 'read' } },
      schema: {
        tags,
        summary: 'List channels',
        querystring: ListQuery,
        response: addErrorReplies(createListReply('channels', ChannelEntry, config.listError)),
      },
    },
    async ({ account, query }) => {
      const page = readPage(query)
      const { entries, total } = await listChannels(ctx.db, account.id, page)
      return presentPage('channels', entries, page, total, config.listError)
    },
  )

  app.get(
    '/channel/:id',
    {
      config: { access: { scope: 'read' } },
      schema: {
        tags,
        summary: 'List the items of a channel',
        params: Params,
        querystring: ListQuery,
        response: addErrorReplies(createListReply('items', ItemEntry, config.listError)),
      },
    },
    async ({ account, params, query }) => {
      const id = parsePathId(params.id)
      const page = readPage(query)
      const { entries, total } = await listChannelItems(ctx, ctx.db, account.id, id, page)
      return presentPage('items', entries.map(presentItem), page, total, config.listError)
    },
  )

  app.post(
    '/channel/add',
    {
      config: { access: { scope: 'links' } },
      schema: {
        tags,
        summary: 'Create a channel',
        body: ChannelCreate,
        response: addErrorReplies(Type.Object({ error: Type.Literal(0), ...replyFields })),
      },
      preValidation: normalizeBody('create'),
    },
    async (request) => {
      await ctx.storage.require(ctx.db, request.account.id)
      return runOnce(request, {
        work: (db) => addChannel(db, request.account.id, request.body),
        present: (channel) => ({ error: 0 as const, ...channel }),
      })
    },
  )

  app.post(
    '/channel/:channelid/assign/:type/:itemid',
    {
      config: { access: { scope: 'links' } },
      schema: {
        tags,
        summary: 'Add a link, bio page or QR code to a channel',
        params: AssignParams,
        response: addErrorReplies(MessageReply),
      },
    },
    async (request) => {
      const { account, params } = request
      const item = { type: params.type, id: parsePathId(params.itemid) }
      const message = 'Item has been added to the channel successfully.'
      await ctx.storage.require(ctx.db, account.id)
      return runOnce(request, {
        work: (db) => addItemToChannel(db, account.id, parsePathId(params.channelid), item),
        present: () => ({ error: 0 as const, message }),
      })
    },
  )

  app.put(
    '/channel/:id/update',
    {
      config: { access: { scope: 'links' } },
      schema: {
        tags,
        summary: 'Update a channel',
        params: Params,
        body: ChannelUpdate,
        response: addErrorReplies(
          Type.Object({ error: Type.Literal(0), message: Type.String(), ...replyFields }),
        ),
      },
      preValidation: normalizeBody('update'),
    },
    async ({ account, params, body }) => {
      await ctx.storage.require(ctx.db, account.id)
      const channel = await updateChannel(ctx.db, account.id, parsePathId(params.id), body)
      const message = 'Channel has been updated successfully.'
      return { error: 0 as const, message, ...channel }
    },
  )

  app.delete(
    '/channel/:id/delete',
    {
      config: { access: { scope: 'links' } },
      schema: {
        tags,
        summary: 'Delete a channel',
        params: Params,
        response: addErrorReplies(MessageReply),
      },
    },
    async ({ account, params }) => {
      await deleteChannel(ctx.db, account.id, parsePathId(params.id))
      return { error: 0 as const, message: 'Channel has been deleted successfully.' }
    },
  )
}

function presentItem({ createdAt, ...item }: ChannelItem) {
  return { ...item, date: formatDate(createdAt) }
}
