import { Type } from '@sinclair/typebox'
import type { HttpContext } from '../../context.ts'
import { addLinkToCampaign } from '../../resources/campaign-links.ts'
import { campaigns } from '../../resources/campaigns.ts'
import {
  addItemToChannel,
  type ChannelItem,
  ITEM_TYPES,
  type ItemType,
  listChannelItems,
} from '../../resources/channel-items.ts'
import { channels } from '../../resources/channels.ts'
import { parsePathId } from '../request/path-id.ts'
import { formatDate } from '../timestamp.ts'
import type { ApiApp } from './api-app.ts'
import type { RunOnce } from './idempotency.ts'
import { createOperations } from './resources.ts'
import {
  addErrorReplies,
  createListReply,
  Id,
  ListQuery,
  MessageReply,
  presentPage,
  readPage,
} from './schemas.ts'

const tags = ['channels']
const Params = Type.Object({ id: Type.String({ description: 'ID of the channel.' }) })
const AssignParams = Type.Object({
  channelid: Type.String({ description: 'ID of the channel.' }),
  type: Type.Unsafe<ItemType>({ type: 'string', enum: ITEM_TYPES }),
  itemid: Type.String({ description: 'ID of the item within its type.' }),
})

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

const CampaignParams = Type.Object({
  campaignid: Type.String({ description: 'ID of the campaign.' }),
  linkid: Type.String({ description: 'ID of the link.' }),
})

export function registerCampaignRoutes(app: ApiApp, ctx: HttpContext, runOnce: RunOnce): void {
  const operations = createOperations(app, ctx, runOnce, campaigns)

  operations.list()
  operations.create()

  app.post(
    '/campaign/:campaignid/assign/:linkid',
    {
      config: { access: { scope: 'links' } },
      schema: {
        tags: [campaigns.api.tag],
        summary: 'Add a link to a campaign',
        params: CampaignParams,
        response: addErrorReplies(MessageReply),
      },
    },
    async (request) => {
      const { scope, params } = request
      const campaignId = parsePathId(params.campaignid)
      const linkId = parsePathId(params.linkid)
      const message = 'Link has been added to the campaign successfully.'
      await scope.storage.require(scope)
      return runOnce(request, {
        work: (scope) => addLinkToCampaign(scope, campaignId, linkId),
        present: () => ({ error: 0 as const, message }),
      })
    },
  )

  operations.update()
  operations.remove()
}

export function registerChannelRoutes(app: ApiApp, ctx: HttpContext, runOnce: RunOnce): void {
  const { config } = ctx

  const operations = createOperations(app, ctx, runOnce, channels)

  operations.list()

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
    async ({ scope, params, query }) => {
      const id = parsePathId(params.id)
      const page = readPage(query)
      const { entries, total } = await listChannelItems(scope, id, page)
      return presentPage('items', entries.map(presentItem), page, total, config.listError)
    },
  )

  operations.create()

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
      const { scope, params } = request
      const item = { type: params.type, id: parsePathId(params.itemid) }
      const message = 'Item has been added to the channel successfully.'
      await scope.storage.require(scope)
      return runOnce(request, {
        work: (scope) => addItemToChannel(scope, parsePathId(params.channelid), item),
        present: () => ({ error: 0 as const, message }),
      })
    },
  )

  operations.update()
  operations.remove()
}

function presentItem({ createdAt, ...item }: ChannelItem) {
  return { ...item, date: formatDate(createdAt) }
}
