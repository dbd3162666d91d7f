import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { VisitLink } from '../../links/link.ts'
import { titleOf } from '../../links/title.ts'
import { previewPage } from '../../pages/preview.ts'
import type { Services } from '../../services.ts'
import { sendNotFound } from '../html/not-found.ts'
import { pageRoute } from '../html/page-route.ts'
import { sendPage } from '../html/send-page.ts'
import { answerForm } from './forms.ts'
import { oneEachTurn } from './one-each-turn.ts'
import type { Visit } from './visit.ts'

type Request = FastifyRequest<{ Params: { alias: string } }>

/** `/<alias>`, and `/<alias>+` which shows where it leads. */
export function shortLinkRoutes(app: FastifyInstance, services: Services, visit: Visit): void {
  app.route({
    ...pageRoute,
    url: '/:alias',
    handler: (request: Request, reply) => {
      const { alias } = request.params
      if (alias.endsWith('+')) return preview(request, reply, alias.slice(0, -1))
      return visit.visit(request, reply, alias)
    },
  })

  app.post(
    '/:alias',
    { schema: { hide: true }, onRequest: oneEachTurn() },
    async (request: Request, reply) => {
      const { host, link } = await visit.find(request, request.params.alias)
      if (!link) return sendNotFound(services, reply, host)
      return answerForm(services, visit, request, reply, link)
    },
  )

  async function preview(request: FastifyRequest, reply: FastifyReply, alias: string) {
    const { host, link } = await visit.find(request, alias)
    if (!link) return sendNotFound(services, reply, host)
    const decision = visit.decideFor(request, link)
    // A link that leads nowhere any more says so, as it does to visitors.
    if (!('target' in decision)) return visit.followed(request, reply, link)
    const { shortUrl, createdAt } = link
    const shown = link.passwordHash ? null : describe(link, decision.target)
    return sendPage(reply, (nonce) =>
      previewPage({ nonce, shortUrl, date: createdAt, link: shown }),
    )
  }
}

function describe({ meta }: VisitLink, target: string) {
  const { description } = meta
  return { target, title: titleOf({ meta, url: target }), ...(description && { description }) }
}
