import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import type { Snapshot } from '../../../process/metrics-messages.ts'
import { sendNotFound } from '../../html/not-found.ts'
import { pageRoute } from '../../html/page-route.ts'
import { accountRoutes } from './accounts/account-routes.ts'
import { newAccountRoutes } from './accounts/new-account-routes.ts'
import { accountListRoute } from './accounts/routes.ts'
import { healthRoute } from './health/routes.ts'
import { heldLinkRoutes } from './held-links/routes.ts'
import { hostRoutes } from './hosts/routes.ts'
import { linkRoutes } from './links/routes.ts'
import { logRoutes } from './log/routes.ts'
import { reportRoutes } from './reports/routes.ts'
import { userRoutes } from './users/routes.ts'

/** Creates the plugin for the admin pages, which respond with 404 to everyone except admins. */
export function operatorPages(ctx: HttpContext, collectMetrics: () => Promise<Snapshot[]>) {
  return async function plugin(app: FastifyInstance): Promise<void> {
    app.addHook('onRequest', requireAdmin(ctx))
    app.route({
      ...pageRoute,
      url: '/',
      handler: async (_request, reply) => reply.redirect('/console/operator/accounts', 303),
    })
    accountListRoute(app, ctx)
    newAccountRoutes(app, ctx)
    userRoutes(app, ctx)
    accountRoutes(app, ctx)
    linkRoutes(app, ctx)
    hostRoutes(app, ctx)
    reportRoutes(app, ctx)
    heldLinkRoutes(app, ctx)
    logRoutes(app, ctx)
    healthRoute(app, ctx, collectMetrics)
  }
}

function requireAdmin(ctx: HttpContext) {
  return async function guard(
    { session }: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply | undefined> {
    return session.user.admin ? undefined : sendNotFound(ctx, reply, { kind: 'service' })
  }
}
