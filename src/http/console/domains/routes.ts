import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { getBrand } from '../../../domains/brand.service.ts'
import { createDnsRecord } from '../../../domains/dns-record.ts'
import { getCheckedDomain } from '../../../domains/dns-state.ts'
import { getDomainDetails } from '../../../domains/domain.service.ts'
import { AppError } from '../../../errors.ts'
import { parsePathId } from '../../request/path-id.ts'
import { formFor, pageFor } from '../kit/roles.ts'
import { registerResourceRoutes } from '../resources/routes.ts'
import { sendConsolePage } from '../shell/send.ts'
import { createDomainBrandRoutes } from './brand.ts'
import { describeAdvice, renderDomainPage } from './page.ts'
import { createDomainResource } from './resource.ts'
import { describeState } from './state.ts'

type DomainRequest = FastifyRequest<{ Params: { id: string } }>

/** Returns the plugin with the pages of branded domains: list, page, create, edit and delete. */
export function createDomainRoutes(ctx: HttpContext) {
  return async function plugin(app: FastifyInstance): Promise<void> {
    registerResourceRoutes(app, createDomainResource(ctx))
    registerDomainPageRoutes(app, ctx)
    await app.register(createDomainBrandRoutes(ctx))
  }
}

/**
 * Registers the routes of a domain's page. The page shows the last known DNS state, so that it need
 * not wait for a check. A script or the user requests the check.
 */
function registerDomainPageRoutes(app: FastifyInstance, ctx: HttpContext): void {
  app.route({ ...pageFor('viewer'), url: '/domains/:id', handler: sendDomain })

  // Requested by `domain-states.js` on pages with a stale state.
  app.route({
    ...pageFor('viewer'),
    url: '/domains/:id/state',
    handler: async ({ session, params }: DomainRequest, reply) => {
      const { account, user } = session
      const domain = await getCheckedDomain(ctx, ctx.db, account.id, parsePathId(params.id))
      reply.header('cache-control', 'private, no-store')
      return { ...describeState(domain, user.timeZone), advice: describeAdvice(domain) }
    },
  })

  app.post('/domains/:id/check', formFor('editor'), async (request: DomainRequest, reply) => {
    await checkNow(request)
    return sendDomain(request, reply)
  })

  /** Checks a domain and stores its state. Does nothing if too many checks are running. */
  async function checkNow({ session, params }: DomainRequest): Promise<void> {
    const id = parsePathId(params.id)
    try {
      await getCheckedDomain(ctx, ctx.db, session.account.id, id, { force: true })
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'busy') throw error
    }
  }

  async function sendDomain({ session, params }: DomainRequest, reply: FastifyReply) {
    const { account } = session
    const domain = await getDomainDetails(ctx.db, account.id, parsePathId(params.id))
    const brand = await getBrand(ctx.db, account.id, domain.id)
    const record = createDnsRecord(new URL(ctx.config.baseUrl))
    return sendConsolePage(reply, (frame) =>
      renderDomainPage(frame, { domain, record, brand, now: ctx.clock() }),
    )
  }
}
