import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance } from 'fastify'
import {
  addCampaign,
  addLinkToCampaign,
  deleteCampaign,
  getCampaign,
  getCampaignLinkIds,
  listCampaignLinks,
  listCampaigns,
  removeLinkFromCampaign,
  updateCampaign,
} from '../../campaigns/campaign.service.ts'
import type { Campaign } from '../../campaigns/campaign.ts'
import type { HttpContext } from '../../context.ts'
import { readLinkNames } from '../../links/link-list.service.ts'
import { shortUrlOf } from '../../links/short-url.ts'
import { shortLinkText } from '../../pages/short-link-text.ts'
import { t, tAll } from '../../texts.ts'
import { defineForm } from './kit/form.ts'
import { renderCopyable, renderFacts, renderPanel } from './kit/parts.ts'
import { defineSubject, idOf } from './kit/subject.ts'
import { getItemsPath, registerGroup } from './resources/group.ts'
import { registerResource } from './resources/resource.ts'

const PATH = '/console/campaigns'

/** Registers campaigns: their list and forms, and a campaign's URLs, statistics and links. */
export function registerCampaignRoutes(app: FastifyInstance, ctx: HttpContext): void {
  registerCampaignForms(app, ctx)

  registerGroup(app, ctx, {
    kind: 'campaign',
    get: (accountId, id) => getCampaign(ctx.db, accountId, id),
    getLinkIds: (accountId, id) => getCampaignLinkIds(ctx.db, accountId, id),
    listItems: (accountId, id, slice) => listCampaignLinks(ctx, ctx.db, accountId, id, slice),
    addLink: async (accountId, id, linkId) => {
      await ctx.storage.require(ctx.db, accountId)
      await addLinkToCampaign(ctx.db, accountId, id, linkId)
      return String(linkId)
    },
    findTitle: async (accountId, reference) => {
      if (!/^[1-9]\d{0,14}$/.test(reference)) return undefined
      const id = Number(reference)
      const link = (await readLinkNames(ctx, ctx.db, accountId, [id])).get(id)
      return link && shortLinkText(link.shortUrl)
    },
    texts: () => ({
      many: t('campaign.words.many'),
      items: t('campaign.links'),
      itemsTitle: t('campaign.linksInCampaign'),
      noItems: t('campaign.noLinks'),
      heads: [t('campaign.shortLink'), t('campaign.destination')],
    }),
    describe: ({ id, shortUrl, url }) => ({
      name: shortLinkText(shortUrl),
      href: `/console/links/${id}`,
      cells: [url],
      removal: `links/${id}/remove`,
    }),
    renderParts: async ({ session }, campaign) => ({
      title: html`<h1><bdi>${campaign.name}</bdi></h1>`,
      details: renderPanel(
        'urls',
        t('campaign.urls'),
        renderUrls(campaign, session.account.username),
      ),
    }),
  })

  defineSubject(app, PATH).action(
    '/campaigns/:id/links/:link/remove',
    'editor',
    async (request) => {
      const id = idOf(request)
      await removeLinkFromCampaign(ctx.db, request.session.account.id, id, idOf(request, 'link'))
      return { to: getItemsPath(`${PATH}/${id}`, request.query) }
    },
  )

  function renderUrls({ id, slug, ...campaign }: Campaign, username: string): SafeHtml {
    const { baseUrl } = ctx.config
    const list = `${baseUrl}/u/${encodeURIComponent(username)}/${id}`
    return renderFacts([
      [
        t('campaign.rotator'),
        slug === null
          ? t('campaign.rotatorOff')
          : renderCopyable({ id: 'rotator', href: shortUrlOf(`${baseUrl}/r`, slug) }),
      ],
      [
        t('campaign.publicList'),
        campaign.public ? renderCopyable({ id: 'list', href: list }) : t('campaign.off'),
      ],
    ])
  }
}

/** Registers the list of campaigns, and the form that creates or edits one. */
function registerCampaignForms(app: FastifyInstance, ctx: HttpContext): void {
  const rotator = `${ctx.config.baseUrl}/r`
  const form = defineForm(
    {
      name: { label: 'resource.name', maxLength: 200 },
      slug: {
        label: 'campaign.slug',
        maxLength: 64,
        optional: true,
        hint: () => t('campaign.slugHint', { url: `${rotator}/{slug}` }),
      },
      public: { type: 'check', label: 'campaign.publish' },
    },
    { codes: { slug_taken: 'slug' } },
  )
  const toInput = (values: ReturnType<typeof form.read>) => ({
    name: values.name,
    slug: values.slug.trim() || null,
    public: values.public !== '',
  })

  registerResource(app, {
    section: PATH,
    words: () => tAll('campaign.words'),
    nameOf: ({ name }: Campaign) => name,
    columns: () => [
      {
        head: t('campaign.columns.rotator'),
        cell: ({ id, slug }) =>
          slug === null
            ? t('resource.none')
            : renderCopyable({ id: `cell-${id}-0`, href: shortUrlOf(rotator, slug) }),
      },
      {
        head: t('campaign.columns.list'),
        cell: (campaign) => (campaign.public ? t('campaign.public') : t('campaign.private')),
      },
    ],
    hasDetailsPage: true,
    list: (accountId, slice) => listCampaigns(ctx.db, accountId, slice),
    get: (accountId, id) => getCampaign(ctx.db, accountId, id),
    remove: (accountId, id) => deleteCampaign(ctx.db, accountId, id),
    form,
    valuesOf: (campaign) => campaign,
    add: async (accountId, values) => {
      await ctx.storage.require(ctx.db, accountId)
      return addCampaign(ctx.db, accountId, toInput(values))
    },
    update: async (accountId, id, values) => {
      await ctx.storage.require(ctx.db, accountId)
      return updateCampaign(ctx.db, accountId, id, toInput(values))
    },
  })
}
