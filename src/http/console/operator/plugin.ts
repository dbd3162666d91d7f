import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { AppError } from '../../../errors.ts'
import type { Snapshot } from '../../../process/metrics-messages.ts'
import { registerAccountRoutes } from './account.ts'
import { registerAccountsRoutes } from './accounts.ts'
import { registerHealthRoute } from './health.ts'
import { registerHeldLinkRoutes } from './held-links.ts'
import { registerHostRoutes } from './hosts.ts'
import { registerLinkRoutes } from './links.ts'
import { registerLogRoutes } from './log.ts'
import { registerReportRoutes } from './reports.ts'
import { registerUnlistedRoute } from './robots.ts'
import { registerUserRoutes } from './users.ts'

/** Creates the plugin for the admin pages, which respond with 404 to everyone except admins. */
export function createOperatorPages(ctx: HttpContext, collectMetrics: () => Promise<Snapshot[]>) {
  return async function plugin(app: FastifyInstance): Promise<void> {
    app.addHook('onRequest', requireAdmin)
    registerAccountsRoutes(app, ctx)
    registerUserRoutes(app, ctx)
    registerAccountRoutes(app, ctx)
    registerLinkRoutes(app, ctx)
    registerHostRoutes(app, ctx)
    registerReportRoutes(app, ctx)
    registerHeldLinkRoutes(app, ctx)
    registerUnlistedRoute(app, ctx)
    registerLogRoutes(app, ctx)
    registerHealthRoute(app, ctx, collectMetrics)
  }
}

/** Throws AppError `not_found`, as for a page that does not exist. */
async function requireAdmin({ session }: FastifyRequest): Promise<void> {
  if (!session.user.admin) throw new AppError('not_found')
}
