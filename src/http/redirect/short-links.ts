import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../context.ts'
import type { VisitLink } from '../../links/link.ts'
import { titleOf } from '../../links/title.ts'
import { previewPage } from '../../pages/preview.ts'
import { sendNotFound } from '../html/not-found.ts'
import { pageRoute } from '../html/page-route.ts'
import { sendVisitorPage } from '../html/send-page.ts'
import { handleForm } from './forms.ts'
import { limitToOnePerTurn } from './one-per-turn.ts'
import { isProtected } from './overlay-token.ts'
import { buildReportPath, handleReportForm, REPORT_SUFFIX, sendReportForm } from './reports.ts'
import type { Visit } from './visit.ts'

type Request = FastifyRequest<{ Params: { alias: string } }>

/**
 * Registers the routes of a short link: `/<alias>`, the preview `/<alias>+`, and the report form
 * `/<alias>+report`.
 */
export function registerShortLinkRoutes(
  app: FastifyInstance,
  ctx: HttpContext,
  visit: Visit,
): void {
  app.route({
    ...pageRoute,
    url: '/:alias',
    handler: (request: Request, reply) => {
      const { alias } = request.params
      // Aliases cannot contain a plus.
      return alias.includes('+')
        ? handleSubpage(request, reply, alias)
        : visit.handle(request, reply, alias)
    },
  })

  app.post(
    '/:alias',
    { schema: { hide: true }, onRequest: limitToOnePerTurn() },
    async (request: Request, reply) => {
      const { alias } = request.params
      const isReport = alias.endsWith(REPORT_SUFFIX)
      const { host, link } = await visit.find(request, isReport ? removeReportSuffix(alias) : alias)
      if (!link) return sendNotFound(ctx, reply, host)
      if (isReport) return handleReportForm(ctx, request, reply, link)
      return handleForm(ctx, visit, request, reply, link)
    },
  )

  /** Handles the subpages of a link: preview and report. */
  async function handleSubpage(request: FastifyRequest, reply: FastifyReply, path: string) {
    const isReport = path.endsWith(REPORT_SUFFIX)
    const alias = isReport ? removeReportSuffix(path) : path.replace(/\+$/, '')
    const { host, link } = await visit.find(request, alias)
    if (!link) return sendNotFound(ctx, reply, host)
    return isReport ? sendReportForm(reply, link) : sendPreview(request, reply, link)
  }

  async function sendPreview(request: FastifyRequest, reply: FastifyReply, link: VisitLink) {
    const decision = visit.decideUnlocked(request, link)
    // An inactive link shows the same page as on a visit.
    if (!('destination' in decision)) return visit.followAsync(request, reply, link)
    const { shortUrl, createdAt } = link
    const destination = isProtected(link) ? null : presentDestination(link, decision.destination)
    const isLimited = destination === null && link.passwordHash === null
    return sendVisitorPage(reply, (context) =>
      previewPage({
        ...context,
        shortUrl,
        date: createdAt,
        link: destination,
        isLimited,
        reportPath: buildReportPath(link),
      }),
    )
  }
}

function removeReportSuffix(path: string): string {
  return path.slice(0, -REPORT_SUFFIX.length)
}

function presentDestination({ meta }: VisitLink, url: string) {
  const { description } = meta
  return {
    destination: url,
    title: titleOf({ metaTitle: meta.title, url }),
    ...(description && { description }),
  }
}
