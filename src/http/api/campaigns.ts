import { Type } from '@sinclair/typebox'
import {
  addCampaign,
  addLinkToCampaign,
  deleteCampaign,
  listCampaigns,
  MAX_NAME,
  updateCampaign,
} from '../../campaigns/campaign.service.ts'
import type { Campaign } from '../../campaigns/campaign.ts'
import type { HttpContext } from '../../context.ts'
import type { Account } from '../../identity/account.ts'
import { shortUrlOf } from '../../links/short-url.ts'
import { parsePathId } from '../request/path-id.ts'
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

const tags = ['campaigns']
const Params = Type.Object({ id: Type.String({ description: 'ID of the campaign.' }) })
const AssignParams = Type.Object({
  campaignid: Type.String({ description: 'ID of the campaign.' }),
  linkid: Type.String({ description: 'ID of the link.' }),
})

const fields = {
  name: Text(MAX_NAME),
  slug: Text(256, {
    description: 'The last part of the rotator’s URL, with the same rules as an alias.',
  }),
  public: Type.Boolean({ description: 'Whether the list of links is public.' }),
}

const CampaignCreate = Type.Object(
  {
    name: Type.Optional(fields.name),
    slug: Type.Optional(fields.slug),
    public: Type.Optional(fields.public),
  },
  { examples: [{ name: 'Spring', slug: 'spring', public: true }] },
)

const CampaignUpdate = Type.Object(
  { name: fields.name, slug: Clearable(fields.slug), public: Clearable(fields.public) },
  {
    description: 'Absent or null fields keep their values; "" clears a field.',
    examples: [{ name: 'Summer' }],
  },
)

const replyFields = {
  domain: Type.String({ description: 'The name of the campaign.' }),
  public: Type.Boolean(),
  rotator: Type.Union([Type.Literal(false), Type.String({ description: 'URL of the rotator.' })]),
  list: Type.String({
    description: 'URL of the public list, which is available while `public` is true.',
  }),
}
const CampaignEntry = Type.Object({ id: Id, name: Type.String(), ...replyFields })
const CampaignReply = Type.Object({ error: Type.Literal(0), id: Id, ...replyFields })

export function registerCampaignRoutes(app: ApiApp, ctx: HttpContext, runOnce: RunOnce): void {
  const { config } = ctx

  app.get(
    '/campaigns',
    {
      config: { access: { scope: 'read' } },
      schema: {
        tags,
        summary: 'List campaigns',
        querystring: ListQuery,
        response: addErrorReplies(createListReply('campaigns', CampaignEntry, config.listError)),
      },
    },
    async ({ account, query }) => {
      const page = readPage(query)
      const { entries, total } = await listCampaigns(ctx.db, account.id, page)
      const campaigns = entries.map((campaign) => ({
        name: campaign.name,
        ...present(account, campaign),
      }))
      return presentPage('campaigns', campaigns, page, total, config.listError)
    },
  )

  app.post(
    '/campaign/add',
    {
      config: { access: { scope: 'links' } },
      schema: {
        tags,
        summary: 'Create a campaign',
        body: CampaignCreate,
        response: addErrorReplies(CampaignReply),
      },
      preValidation: normalizeBody('create'),
    },
    async (request) => {
      await ctx.storage.require(ctx.db, request.account.id)
      return runOnce(request, {
        work: (db) => addCampaign(db, request.account.id, request.body),
        present: (campaign) => ({ error: 0 as const, ...present(request.account, campaign) }),
      })
    },
  )

  app.post(
    '/campaign/:campaignid/assign/:linkid',
    {
      config: { access: { scope: 'links' } },
      schema: {
        tags,
        summary: 'Add a link to a campaign',
        params: AssignParams,
        response: addErrorReplies(MessageReply),
      },
    },
    async (request) => {
      const { account, params } = request
      const campaignId = parsePathId(params.campaignid)
      const linkId = parsePathId(params.linkid)
      const message = 'Link has been added to the campaign successfully.'
      await ctx.storage.require(ctx.db, account.id)
      return runOnce(request, {
        work: (db) => addLinkToCampaign(db, account.id, campaignId, linkId),
        present: () => ({ error: 0 as const, message }),
      })
    },
  )

  app.put(
    '/campaign/:id/update',
    {
      config: { access: { scope: 'links' } },
      schema: {
        tags,
        summary: 'Update a campaign',
        params: Params,
        body: CampaignUpdate,
        response: addErrorReplies(CampaignReply),
      },
      preValidation: normalizeBody('update'),
    },
    async ({ account, params, body }) => {
      await ctx.storage.require(ctx.db, account.id)
      const campaign = await updateCampaign(ctx.db, account.id, parsePathId(params.id), body)
      return { error: 0 as const, ...present(account, campaign) }
    },
  )

  app.delete(
    '/campaign/:id/delete',
    {
      config: { access: { scope: 'links' } },
      schema: {
        tags,
        summary: 'Delete a campaign',
        params: Params,
        response: addErrorReplies(MessageReply),
      },
    },
    async ({ account, params }) => {
      await deleteCampaign(ctx.db, account.id, parsePathId(params.id))
      return { error: 0 as const, message: 'Campaign has been deleted successfully.' }
    },
  )

  function present({ username }: Account, { id, name, slug, public: isPublic }: Campaign) {
    const { baseUrl } = config
    return {
      id,
      domain: name,
      public: isPublic,
      rotator: slug === null ? (false as const) : shortUrlOf(`${baseUrl}/r`, slug),
      list: `${baseUrl}/u/${username}/${id}`,
    }
  }
}
