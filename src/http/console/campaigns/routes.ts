import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  addLinkToCampaign,
  getCampaign,
  getCampaignLinkIds,
  listCampaignLinks,
  removeLinkFromCampaign,
} from '../../../campaigns/campaign.service.ts'
import type { HttpContext } from '../../../context.ts'
import { findByShortLink, readLinkNames } from '../../../links/link-list.service.ts'
import { shortUrlOf } from '../../../links/short-url.ts'
import { shortLinkText } from '../../../pages/short-link-text.ts'
import { t } from '../../../texts.ts'
import { parsePathId } from '../../request/path-id.ts'
import { chooseStatus, loadAnalytics } from '../analytics/statistics.ts'
import { toGroupSubject } from '../analytics/subject.ts'
import { formFor, pageFor } from '../kit/roles.ts'
import { buildItemsHref, clampPage, PER_PAGE } from '../resources/group-paging.ts'
import { readFields, sendConsolePage } from '../shell/send.ts'
import { renderCampaignPage } from './page.ts'

type AnalyticsRequest = FastifyRequest<{
  Params: { id: string }
  Querystring: Record<string, unknown>
}>
type ItemRequest = FastifyRequest<{
  Params: { id: string; link: string }
  Querystring: Record<string, unknown>
}>
/** The submitted short link that could not be added, and the error. */
type RejectedLink = { value: string; error: string }

/**
 * Registers the routes of a campaign's page with its URLs, statistics and links, of the lists of its
 * statistics, and of the forms that add and remove links.
 */
export function registerCampaignPageRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { config } = ctx

  app.route({
    ...pageFor('viewer'),
    url: '/campaigns/:id',
    handler: async (request: AnalyticsRequest, reply) => sendCampaign(request, reply),
  })

  app.post('/campaigns/:id/links', formFor('editor'), async (request: AnalyticsRequest, reply) => {
    const { account } = request.session
    const { id } = await getCampaign(ctx.db, account.id, parsePathId(request.params.id))
    const { link: value } = readFields(request.body, ['link'])
    const link = await findByShortLink(ctx, ctx.db, account.id, value)
    if (!link) return sendCampaign(request, reply, { value, error: t('resource.linkNotFound') })
    await addLinkToCampaign(ctx.db, account.id, id, link.id)
    return reply.redirect(`/console/campaigns/${id}?added=${link.id}#items`, 303)
  })

  app.post(
    '/campaigns/:id/links/:link/remove',
    formFor('editor'),
    async ({ session, params, query }: ItemRequest, reply) => {
      const id = parsePathId(params.id)
      await removeLinkFromCampaign(ctx.db, session.account.id, id, parsePathId(params.link))
      const page = clampPage(query.page)
      return reply.redirect(`/console/campaigns/${id}${page > 1 ? `?page=${page}` : ''}#items`, 303)
    },
  )

  async function sendCampaign(
    request: AnalyticsRequest,
    reply: FastifyReply,
    rejectedLink?: RejectedLink,
  ) {
    const { session, query } = request
    const { account } = session
    const campaign = await getCampaign(ctx.db, account.id, parsePathId(request.params.id))
    const { id, slug } = campaign
    const path = `/console/campaigns/${id}`
    const linkIds = await getCampaignLinkIds(ctx.db, account.id, id)
    const page = clampPage(query.page, linkIds.length)
    const [analytics, { entries, total }, addedTitle] = await Promise.all([
      loadAnalytics(ctx, request, toGroupSubject('campaign', account.id, campaign, linkIds)),
      listCampaignLinks(ctx, ctx.db, account.id, id, {
        limit: PER_PAGE,
        offset: (page - 1) * PER_PAGE,
      }),
      findAddedLink(account.id, query.added),
    ])
    return sendConsolePage(
      reply,
      (frame) =>
        renderCampaignPage(frame, {
          campaign,
          rotator: slug === null ? undefined : shortUrlOf(`${config.baseUrl}/r`, slug),
          list: campaign.public
            ? `${config.baseUrl}/u/${encodeURIComponent(account.username)}/${id}`
            : undefined,
          analytics,
          rows: entries.map((link) => ({
            name: shortLinkText(link.shortUrl),
            href: `/console/links/${link.id}`,
            cells: [link.url],
            removalPath: `${path}/links/${link.id}/remove${page > 1 ? `?page=${page}` : ''}`,
          })),
          pages: {
            page,
            limit: PER_PAGE,
            total,
            hrefOf: (page) => buildItemsHref(analytics, page),
          },
          addedTitle,
          rejectedLink,
        }),
      { status: rejectedLink ? 422 : chooseStatus(analytics) },
    )
  }

  /** Returns the short link with the id in the query, if it is the account's. */
  async function findAddedLink(accountId: number, value: unknown): Promise<string | undefined> {
    if (typeof value !== 'string' || !/^[1-9]\d{0,14}$/.test(value)) return undefined
    const id = Number(value)
    const link = (await readLinkNames(ctx, ctx.db, accountId, [id])).get(id)
    return link && shortLinkText(link.shortUrl)
  }
}
