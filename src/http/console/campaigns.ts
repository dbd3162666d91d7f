import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../../context.ts'
import { shortLinkText } from '../../pages/short-link-text.ts'
import {
  addLinkToCampaign,
  getCampaignLinkIds,
  listCampaignLinks,
  readCampaignTotals,
  removeLinkFromCampaign,
} from '../../resources/campaign-links.ts'
import { type Campaign, campaigns } from '../../resources/campaigns.ts'
import { t } from '../../texts.ts'
import { shortUrlOf } from '../../urls/short-url.ts'
import { renderCopyable, renderFacts, renderPanel } from './kit/parts.ts'
import { defineSubject, idOf } from './kit/subject.ts'
import { getItemsPath, registerGroup } from './resources/group.ts'
import { registerResourcePages } from './resources/pages.ts'
import { formatCount } from './shell/format.ts'

const PATH = '/console/campaigns'

/** A campaign, in the list with the number of its links and of their clicks. */
type Listed = Campaign & { links?: number; clicks?: number }

/** Registers campaigns: their list and forms, and a campaign's URLs, statistics and links. */
export function registerCampaignRoutes(app: FastifyInstance, ctx: HttpContext): void {
  registerResourcePages<Listed>(app, ctx, campaigns, {
    hasDetailsPage: true,
    list: async (scope, slice) => {
      const { entries, total } = await campaigns.list(scope, slice)
      const totals = await readCampaignTotals(
        scope,
        entries.map(({ id }) => id),
      )
      return { entries: entries.map((entry) => ({ ...entry, ...totals.get(entry.id) })), total }
    },
    columns: () => [
      {
        head: t('campaign.links'),
        isNumber: true,
        cell: ({ links = 0 }) => formatCount(links),
      },
      {
        head: t('bio.columns.clicks'),
        isNumber: true,
        cell: ({ clicks = 0 }) => formatCount(clicks),
      },
      {
        head: t('campaign.columns.rotator'),
        cell: ({ id, slug }) =>
          slug === null
            ? t('resource.none')
            : renderCopyable({ id: `cell-${id}-0`, href: getRotatorUrl(slug) }),
      },
      {
        head: t('campaign.columns.list'),
        cell: (campaign) => (campaign.public ? t('campaign.public') : t('campaign.private')),
      },
    ],
  })

  registerGroup(app, ctx, {
    kind: 'campaign',
    get: campaigns.get,
    getLinkIds: getCampaignLinkIds,
    listItems: listCampaignLinks,
    addLink: async (scope, id, linkId) => {
      await scope.storage.require(scope)
      await addLinkToCampaign(scope, id, linkId)
    },
    texts: () => ({
      many: t('campaign.words.many'),
      items: t('campaign.links'),
      itemsTitle: t('campaign.linksInCampaign'),
      noItems: t('campaign.noLinks'),
      heads: [t('campaign.shortLink'), t('campaign.destination')],
    }),
    describe: (link) => ({
      name: shortLinkText(link.shortUrl),
      link,
      href: `/console/links/${link.id}`,
      cells: [link.url],
      removal: `links/${link.id}/remove`,
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
      await removeLinkFromCampaign(request.scope, id, idOf(request, 'link'))
      return { to: getItemsPath(`${PATH}/${id}`, request.query) }
    },
  )

  function getRotatorUrl(slug: string): string {
    return shortUrlOf(`${ctx.config.baseUrl}/r`, slug)
  }

  function renderUrls({ id, slug, ...campaign }: Campaign, username: string): SafeHtml {
    const { baseUrl } = ctx.config
    const list = `${baseUrl}/u/${encodeURIComponent(username)}/${id}`
    return renderFacts([
      [
        t('campaign.rotator'),
        slug === null
          ? t('campaign.rotatorOff')
          : renderCopyable({ id: 'rotator', href: getRotatorUrl(slug) }),
      ],
      [
        t('campaign.publicList'),
        campaign.public ? renderCopyable({ id: 'list', href: list }) : t('campaign.off'),
      ],
    ])
  }
}
