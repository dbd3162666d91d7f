import type { FastifyInstance, FastifyReply } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { getLink } from '../../../links/link.service.ts'
import type { Link } from '../../../links/link.ts'
import { getGuesses } from '../../../links/link-list.service.ts'
import { shortLinkText } from '../../../pages/short-link-text.ts'
import { findCodeOfLink } from '../../../qr/qr.service.ts'
import { parsePathId } from '../../request/path-id.ts'
import { type AnalyticsRequest, loadAnalytics } from '../analytics/analytics.ts'
import { chooseStatus } from '../analytics/section.ts'
import { buildUrl, type Parameter } from '../analytics/state.ts'
import type { Subject } from '../analytics/subject.ts'
import { pageFor } from '../kit/roles.ts'
import { formatDate, formatSecond } from '../shell/format-day.ts'
import { sendConsolePage } from '../shell/send.ts'
import { listStyleParameters, readStyle, validateStyle } from './code-form.ts'
import { renderLinkPage } from './page.ts'
import { listSettings } from './settings.ts'
import { describeStatus } from './status.ts'

/** Returns the link in a path. */
export function readLink(ctx: HttpContext, { params, session }: AnalyticsRequest): Promise<Link> {
  return getLink(ctx, ctx.db, session.account.id, parsePathId(params.id))
}

/** Returns a link as a subject of statistics. */
export function toLinkSubject({ id, accountId, shortUrl, createdAt }: Link): Subject {
  return {
    kind: 'link',
    id,
    createdAt,
    name: shortLinkText(shortUrl),
    path: `/console/links/${id}`,
    section: '/console/links',
    scope: { accountId, linkIds: [id] },
  }
}

/** Serves the page of one link. */
export function registerLinkPageRoute(app: FastifyInstance, ctx: HttpContext): void {
  const { blockList, clock } = ctx
  app.route({ ...pageFor('viewer'), url: '/links/:id', handler: sendLink })

  async function sendLink(request: AnalyticsRequest, reply: FastifyReply) {
    const link = await readLink(ctx, request)
    const zone = request.session.user.timeZone
    const [analytics, saved, guesses] = await Promise.all([
      loadAnalytics(ctx, request, toLinkSubject(link)),
      findCodeOfLink(ctx.db, link.accountId, link.id),
      link.hasPassword ? getGuesses(ctx, ctx.db, link.accountId, link.id) : undefined,
    ])
    const hosts = await blockList.current()
    return sendConsolePage(
      reply,
      (frame) =>
        renderLinkPage(frame, {
          link: {
            ...link,
            title: link.metaTitle,
            isArchived: link.archivedAt !== null,
            created: { at: link.createdAt.toISOString(), day: formatDate(link.createdAt, zone) },
            settings: listSettings(link, zone),
            status: describeStatus(link, clock(), { hosts, zone }),
          },
          analytics,
          code: { ...createCodeForm(request, analytics.pageState.parameters), id: link.id, saved },
          guesses: guesses && {
            ...guesses,
            waitsUntil: guesses.waitsUntil ? formatSecond(guesses.waitsUntil, zone) : undefined,
          },
        }),
      { status: chooseStatus(analytics) },
    )
  }
}

function createCodeForm({ params, query }: AnalyticsRequest, kept: readonly Parameter[]) {
  const style = readStyle(query)
  const path = `/console/links/${parsePathId(params.id)}`
  const error = validateStyle(style)
  const parameters = error === undefined ? listStyleParameters(style) : []
  return {
    action: path,
    kept,
    ...style,
    error,
    image: buildUrl(`${path}/qr.svg`, parameters),
    png: buildUrl(`${path}/qr.png`, parameters),
    svg: buildUrl(`${path}/qr.svg`, parameters),
    pdf: buildUrl(`${path}/qr.pdf`, parameters),
  }
}
