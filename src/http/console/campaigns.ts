import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../../context.ts'
import { MAX_WEIGHT } from '../../links/split.ts'
import { shortLinkText } from '../../pages/short-link-text.ts'
import {
  addLinkToCampaign,
  type CampaignLink,
  getCampaignLinkIds,
  listCampaignLinks,
  readCampaignTotals,
  removeLinkFromCampaign,
  setCampaignWeights,
} from '../../resources/campaign-links.ts'
import { type Campaign, campaigns } from '../../resources/campaigns.ts'
import { t } from '../../texts.ts'
import { shortUrlOf } from '../../urls/short-url.ts'
import { renderControl, renderNoteAttributes, renderNotes } from './kit/fields.ts'
import { renderDestination, renderPublicUrl } from './kit/link-name.ts'
import { renderCopyable, renderFacts, renderForm, renderLink, renderPanel } from './kit/parts.ts'
import { defineSubject, idOf } from './kit/subject.ts'
import { getItemsPath, registerGroup } from './resources/group.ts'
import { registerResourcePages } from './resources/pages.ts'
import { describeFormErrors } from './shell/describe-error.ts'
import { formatCount } from './shell/format.ts'
import type { Frame } from './shell/layout.ts'
import { readFields } from './shell/send.ts'

const PATH = '/console/campaigns'

/** A campaign, in the list with the number of its links and of their clicks. */
type Listed = Campaign & { links?: number; clicks?: number | null }

/** Submitted weights and their errors, by the names of their fields. */
type WeightState = Record<'values' | 'errors', Readonly<Record<string, string>>>

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
        cell: ({ clicks = 0 }) => (clicks === null ? '–' : formatCount(clicks)),
      },
      {
        head: t('campaign.columns.rotator'),
        cell: ({ id, slug }) =>
          slug === null ? t('resource.none') : renderPublicUrl(getRotatorUrl(slug), `cell-${id}-0`),
      },
      {
        head: t('campaign.columns.list'),
        cell: (campaign) => (campaign.public ? t('campaign.public') : t('campaign.private')),
      },
    ],
  })

  const renderCampaign = registerGroup<Campaign, CampaignLink, WeightState>(app, ctx, {
    kind: 'campaign',
    get: campaigns.get,
    getLinkIds: getCampaignLinkIds,
    listItems: listCampaignLinks,
    addLink: async (scope, id, linkId) => {
      await scope.storage.require(scope)
      await addLinkToCampaign(scope, id, linkId)
    },
    texts: ({ slug }) => ({
      many: t('campaign.words.many'),
      items: t('campaign.links'),
      itemsTitle: t('campaign.linksInCampaign'),
      noItems: t('campaign.noLinks'),
      heads: [
        t('campaign.shortLink'),
        t('campaign.destination'),
        ...(slug === null ? [] : [t('campaign.weight')]),
      ],
    }),
    describe: (link, { frame, entry: { id, slug }, state }) => ({
      name: shortLinkText(link.shortUrl),
      link,
      href: `/console/links/${link.id}`,
      cells: [
        renderDestination(link.url),
        ...(slug === null ? [] : [renderWeight(frame, id, link, state)]),
      ],
      removal: `links/${link.id}/remove`,
    }),
    renderParts: async ({ session, query }, campaign) => ({
      title: html`<h1><bdi>${campaign.name}</bdi></h1>`,
      renderDetails: (frame) =>
        renderPanel(
          'urls',
          t('campaign.urls'),
          renderUrls(frame, campaign, session.account.username),
        ),
      renderFooter: (frame) =>
        campaign.slug === null
          ? null
          : renderForm(
              frame,
              getItemsPath(`${PATH}/${campaign.id}/weights`, query).replace('#items', ''),
              [
                html`<p class="small soft">${t('campaign.weightHint')}</p>`,
                html`<button class="button quiet small">${t('campaign.saveWeights')}</button>`,
              ],
              { attributes: html` id="weights"` },
            ),
    }),
  })

  const { action } = defineSubject(app, PATH)
  action('/campaigns/:id/links/:link/remove', 'editor', async (request) => {
    const id = idOf(request)
    await removeLinkFromCampaign(request.scope, id, idOf(request, 'link'))
    return { to: getItemsPath(`${PATH}/${id}`, request.query) }
  })
  action(
    '/campaigns/:id/weights',
    'editor',
    async (request) => {
      const id = idOf(request)
      await setCampaignWeights(request.scope, id, readWeights(request.body))
      return { to: getItemsPath(`${PATH}/${id}`, request.query), toast: 'saved' }
    },
    async (request, rejection) => {
      if (rejection.field === undefined) throw rejection
      const errors = describeFormErrors(rejection, ({ field = 'form' }) => field)
      return renderCampaign(request, {
        values: readFields(request.body, Object.keys(request.body ?? {})),
        errors,
      })
    },
  )

  function getRotatorUrl(slug: string): string {
    return shortUrlOf(`${ctx.config.baseUrl}/r`, slug)
  }

  function renderUrls(
    frame: Frame,
    { id, slug, ...campaign }: Campaign,
    username: string,
  ): SafeHtml {
    const { baseUrl } = ctx.config
    const list = `${baseUrl}/u/${encodeURIComponent(username)}/${id}`
    return renderFacts([
      [
        t('campaign.rotator'),
        slug === null
          ? (renderLink(frame, `${PATH}/${id}/edit#slug`, t('campaign.rotatorOff')) ??
            t('campaign.off'))
          : renderCopyable({ id: 'rotator', href: getRotatorUrl(slug) }),
      ],
      [
        t('campaign.publicList'),
        campaign.public ? renderCopyable({ id: 'list', href: list }) : t('campaign.off'),
      ],
    ])
  }
}

/** Renders the weight of a link in the rotator, as a field of the form below the list. */
function renderWeight(
  frame: Frame,
  campaignId: number,
  { id, weight, shortUrl }: CampaignLink,
  { values = {}, errors = {} }: Partial<WeightState> = {},
): SafeHtml | string {
  if (!frame.may('POST', `${PATH}/${campaignId}/weights`)) return String(weight)
  const name = `weight-${id}`
  const error = errors[name]
  const control = renderControl({
    type: 'number',
    name,
    ariaLabel: t('campaign.weightOf', { link: shortLinkText(shortUrl) }),
    value: values[name] ?? String(weight),
    attributes: html` form="weights" required min="1" max="${MAX_WEIGHT}"${renderNoteAttributes(name, { error, autofocus: Object.keys(errors)[0] === name })}`,
  })
  return html`${control}${renderNotes(name, { error })}`
}

/** Returns the submitted weights by the ids of their links. */
function readWeights(body: unknown): Map<number, number> {
  const fields = Object.entries((body ?? {}) as Record<string, unknown>)
  return new Map(
    fields.flatMap(([name, value]) => {
      const [, id] = /^weight-([1-9]\d{0,14})$/.exec(name) ?? []
      return id === undefined ? [] : [[Number(id), Number(value)] as const]
    }),
  )
}
