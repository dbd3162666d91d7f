import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createLru } from '../../../concurrency/lru.ts'
import type { HttpContext } from '../../../context.ts'
import { getBrand } from '../../../domains/brand.service.ts'
import { dnsRecord } from '../../../domains/dns-record.ts'
import { getDomain, getDomainDetails } from '../../../domains/domain.service.ts'
import { proveDomain } from '../../../domains/domain-proof.ts'
import { AppError } from '../../../errors.ts'
import { pageRoute } from '../../html/page-route.ts'
import { pathId } from '../path-id.ts'
import { sendConsole } from '../send.ts'
import { domainPage } from './domain-view.ts'

type DomainRequest = FastifyRequest<{ Params: { id: string } }>

/** How long the result of a check is shown before the domain is checked again. */
const RESULT_CACHE_MS = 300_000

/** The page of a branded domain, with its brand and a check whether it points to this service. */
export function domainCheckRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { config } = ctx
  const checks = createLru<number, { pointsHere: boolean; at: number }>({ max: 1000 })

  app.route({
    ...pageRoute,
    url: '/domains/:id',
    handler: async (request: DomainRequest, reply) => {
      const id = pathId(request.params.id)
      const { origin } = await getDomain(ctx.db, request.session.account.id, id)
      const known = checks.get(id)
      const isFresh = known && known.at > performance.now() - RESULT_CACHE_MS
      return sendDomain(request, reply, isFresh ? known.pointsHere : await check(request, origin))
    },
  })

  // Replies with the result directly instead of redirecting, because it is valid only now.
  app.post(
    '/domains/:id/check',
    { schema: { hide: true } },
    async (request: DomainRequest, reply) => {
      const { account } = request.session
      const { origin } = await getDomain(ctx.db, account.id, pathId(request.params.id))
      return sendDomain(request, reply, await check(request, origin))
    },
  )

  /** Undefined while too many checks are running. */
  async function check({ session, params }: DomainRequest, origin: string) {
    try {
      const { pointsHere } = await proveDomain(ctx, session.account.id, origin)
      checks.set(pathId(params.id), { pointsHere, at: performance.now() })
      return pointsHere
    } catch (error) {
      if (error instanceof AppError && error.code === 'busy') return undefined
      throw error
    }
  }

  async function sendDomain(
    request: DomainRequest,
    reply: FastifyReply,
    pointsHere?: boolean,
  ): Promise<FastifyReply> {
    const domain = await getDomainDetails(
      ctx.db,
      request.session.account.id,
      pathId(request.params.id),
    )
    const brand = await getBrand(ctx.db, request.session.account.id, domain.id)
    const { redirectRoot, redirect404, expiredUrl } = domain
    const record = dnsRecord(new URL(config.baseUrl))
    return sendConsole(reply, (frame) =>
      domainPage(frame, {
        ...{ domain, redirectRoot, redirect404, expiredUrl, record, pointsHere },
        brand,
      }),
    )
  }
}
