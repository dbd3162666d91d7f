import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../context.ts'
import { titleOf, type VisitLink } from '../../links/link.ts'
import { previewPage } from '../../pages/preview.ts'
import { sendNotFound } from '../html/not-found.ts'
import { pageRoute } from '../html/page-route.ts'
import { sendVisitorPage } from '../html/send-page.ts'
import { handleForm } from './forms.ts'
import { limitToOnePerTurn } from './one-per-turn.ts'
import { isProtected } from './overlay-token.ts'
import { buildReportPath, handleReportForm, REPORT_SUFFIX, sendReportForm } from './reports.ts'
import type { Visit } from './visit.ts'

/** A page of the link with this alias: its report form, or else its preview. */
export type Subpage = { alias: string; isReport: boolean }

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
  const handlers = createShortLinkHandlers(ctx, visit)

  app.route({
    ...pageRoute,
    url: '/:alias',
    handler: (request: Request, reply) => {
      const { alias } = request.params
      // Aliases cannot contain a plus.
      const subpage = alias.includes('+') && parseSubpage(alias)
      return subpage
        ? handlers.sendSubpage(request, reply, subpage)
        : visit.handle(request, reply, alias)
    },
  })

  app.post(
    '/:alias',
    { schema: { hide: true }, onRequest: limitToOnePerTurn() },
    (request: Request, reply) => {
      const { alias } = request.params
      return handlers.handlePost(request, reply, alias, parseSubpage(alias))
    },
  )
}

/** Creates the handlers of the pages and forms of a link, whose decoded path is passed to them. */
export function createShortLinkHandlers(ctx: HttpContext, visit: Visit) {
  /** Sends the subpages of a link: preview and report. */
  async function sendSubpage(
    request: FastifyRequest,
    reply: FastifyReply,
    { alias, isReport }: Subpage,
  ) {
    const { host, link } = await visit.find(request, alias, { isWhole: true })
    if (!link) return sendNotFound(ctx, reply, host)
    return isReport ? sendReportForm(reply, link) : sendPreview(request, reply, link)
  }

  /** Handles the forms of a link: its report, its password, and the form of its overlay. */
  async function handlePost(
    request: FastifyRequest,
    reply: FastifyReply,
    path: string,
    subpage: Subpage | undefined,
  ) {
    const isReport = subpage?.isReport === true
    const { host, link } = isReport
      ? await visit.find(request, subpage.alias, { isWhole: true })
      : await visit.find(request, path)
    if (!link) return sendNotFound(ctx, reply, host)
    if (isReport) return handleReportForm(ctx, request, reply, link)
    return handleForm(ctx, visit, request, reply, link)
  }

  return { sendSubpage, handlePost }

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

/** Returns the alias of a subpage of a link, and which one it is. Undefined for any other path. */
export function parseSubpage(path: string): Subpage | undefined {
  const isReport = path.endsWith(REPORT_SUFFIX)
  if (!isReport && !path.endsWith('+')) return undefined
  return { alias: path.slice(0, isReport ? -REPORT_SUFFIX.length : -1), isReport }
}

function presentDestination({ meta }: VisitLink, url: string) {
  const { description } = meta
  return {
    destination: url,
    title: titleOf({ metaTitle: meta.title, url }),
    ...(description && { description }),
  }
}
