import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { dnsRecord } from '../../../domains/dns-record.ts'
import { getDomain, getDomainDetails } from '../../../domains/domain.service.ts'
import { proveDomain } from '../../../domains/domain-proof.ts'
import { pageRoute } from '../../html/page-route.ts'
import { pathId } from '../path-id.ts'
import { sendConsole } from '../send.ts'
import { domainPage } from './domain-view.ts'

type DomainRequest = FastifyRequest<{ Params: { id: string } }>

/** The page of a branded domain, with a check whether it points to this service. */
export function domainCheckRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { config } = ctx

  app.route({
    ...pageRoute,
    url: '/domains/:id',
    handler: async (request: DomainRequest, reply) => sendDomain(request, reply),
  })

  // Replies with the result directly instead of redirecting, because it is valid only now.
  app.post(
    '/domains/:id/check',
    { schema: { hide: true } },
    async (request: DomainRequest, reply) => {
      const { account } = request.session
      const { origin } = await getDomain(ctx.db, account.id, pathId(request.params.id))
      const { pointsHere } = await proveDomain(ctx, account.id, origin)
      return sendDomain(request, reply, pointsHere)
    },
  )

  async function sendDomain(request: DomainRequest, reply: FastifyReply, pointsHere?: boolean) {
    const domain = await getDomainDetails(
      ctx.db,
      request.session.account.id,
      pathId(request.params.id),
    )
    const { redirectRoot, redirect404, expiredUrl } = domain
    const record = dnsRecord(new URL(config.baseUrl))
    return sendConsole(reply, (frame) =>
      domainPage(frame, { domain, redirectRoot, redirect404, expiredUrl, record, pointsHere }),
    )
  }
}
