import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Snapshot } from '../../../process/metrics-messages.ts'
import type { Services } from '../../../services.ts'
import { sendNotFound } from '../../html/not-found.ts'
import { pageRoute } from '../../html/page-route.ts'
import { accountRoutes } from './account.ts'
import { accountListRoute } from './accounts.ts'
import { healthRoute } from './health.ts'
import { heldLinkRoutes } from './held-links.ts'
import { hostRoutes } from './hosts.ts'
import { linkRoutes } from './links.ts'
import { logRoutes } from './log.ts'
import { reportRoutes } from './reports.ts'

/** The operator's pages. To whoever is no admin they are paths like any that are not there. */
export function operatorPages(services: Services, collectMetrics: () => Promise<Snapshot[]>) {
  return async function plugin(app: FastifyInstance): Promise<void> {
    app.addHook('onRequest', adminsOnly(services))
    app.route({
      ...pageRoute,
      url: '/',
      handler: async (_request, reply) => reply.redirect('/console/operator/accounts', 303),
    })
    accountListRoute(app, services)
    accountRoutes(app, services)
    linkRoutes(app, services)
    hostRoutes(app, services)
    reportRoutes(app, services)
    heldLinkRoutes(app, services)
    logRoutes(app, services)
    healthRoute(app, services, collectMetrics)
  }
}

function adminsOnly(services: Services) {
  return async function guard(
    { session }: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply | undefined> {
    return session.account.admin ? undefined : sendNotFound(services, reply, { kind: 'service' })
  }
}
