import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../context.ts'
import type { VisitLink } from '../../links/link.ts'
import { titleOf } from '../../links/title.ts'
import { previewPage } from '../../pages/preview.ts'
import { sendNotFound } from '../html/not-found.ts'
import { pageRoute } from '../html/page-route.ts'
import { sendVisitorPage } from '../html/send-page.ts'
import { answerForm } from './forms.ts'
import { oneEachTurn } from './one-each-turn.ts'
import { isProtected } from './overlay-token.ts'
import { answerReport, REPORT, reportPath, sendReportForm } from './reports.ts'
import type { Visit } from './visit.ts'

type Request = FastifyRequest<{ Params: { alias: string } }>

/**
 * `/<alias>`, `/<alias>+` with a preview of the destination, and `/<alias>+report` with the report
 * form.
 */
export function shortLinkRoutes(app: FastifyInstance, ctx: HttpContext, visit: Visit): void {
  app.route({
    ...pageRoute,
    url: '/:alias',
    handler: (request: Request, reply) => {
      const { alias } = request.params
      // Aliases cannot contain a plus.
      return alias.includes('+')
        ? handleSubpage(request, reply, alias)
        : visit.visit(request, reply, alias)
    },
  })

  app.post(
    '/:alias',
    { schema: { hide: true }, onRequest: oneEachTurn() },
    async (request: Request, reply) => {
      const { alias } = request.params
      const isReport = alias.endsWith(REPORT)
      const { host, link } = await visit.find(request, isReport ? withoutReport(alias) : alias)
      if (!link) return sendNotFound(ctx, reply, host)
      if (isReport) return answerReport(ctx, request, reply, link)
      return answerForm(ctx, visit, request, reply, link)
    },
  )

  /** Handles the subpages of a link: preview and report. */
  async function handleSubpage(request: FastifyRequest, reply: FastifyReply, path: string) {
    const isReport = path.endsWith(REPORT)
    const alias = isReport ? withoutReport(path) : path.replace(/\+$/, '')
    const { host, link } = await visit.find(request, alias)
    if (!link) return sendNotFound(ctx, reply, host)
    return isReport ? sendReportForm(reply, link) : preview(request, reply, link)
  }

  async function preview(request: FastifyRequest, reply: FastifyReply, link: VisitLink) {
    const decision = visit.decideFor(request, link)
    // An inactive link shows the same page as on a visit.
    if (!('target' in decision)) return visit.followed(request, reply, link)
    const { shortUrl, createdAt } = link
    const shown = isProtected(link) ? null : describe(link, decision.target)
    const isLimited = shown === null && link.passwordHash === null
    return sendVisitorPage(reply, (context) =>
      previewPage({
        ...{ ...context, shortUrl, date: createdAt, link: shown, isLimited },
        report: reportPath(link),
      }),
    )
  }
}

function withoutReport(path: string): string {
  return path.slice(0, -REPORT.length)
}

function describe({ meta }: VisitLink, target: string) {
  const { description } = meta
  return {
    target,
    title: titleOf({ metaTitle: meta.title, url: target }),
    ...(description && { description }),
  }
}
