import formbody from '@fastify/formbody'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import type { HttpContext } from '../context.ts'
import type { Snapshot } from '../process/metrics-messages.ts'
import { sharedStatisticsRoute } from './console/analytics/share/public-route.ts'
import { consolePages } from './console/plugin.ts'
import { followLanguage } from './console/shell/language.ts'
import { ownHostOnly } from './html/own-host.ts'
import { type ErrorHandler, pageSurface } from './page-surface.ts'
import { forwardedPaths } from './redirect/forwarded-paths.ts'
import { publicListRoutes } from './redirect/public-lists.ts'
import { qrImageRoutes } from './redirect/qr-image.ts'
import { shareImageRoutes } from './redirect/share-images.ts'
import { shortLinkRoutes } from './redirect/short-links.ts'
import { createVisit, type Visit } from './redirect/visit.ts'
import { appLinkRoutes } from './site/app-links.ts'
import { registerRoutes } from './site/register.ts'
import { avatarRoute, siteRoutes } from './site/site.ts'
import { wellKnownRoutes } from './site/well-known.ts'

type Dependencies = {
  log: FastifyBaseLogger
  /** Collects the metrics of all processes and of the installation. */
  collectMetrics: () => Promise<Snapshot[]>
}

/** The pages for visitors: short links and everything around them. */
export function visitorPages(ctx: HttpContext, { log, collectMetrics }: Dependencies) {
  return async function plugin(app: FastifyInstance): Promise<void> {
    const visit = createVisit(ctx)
    await setUp(app, ctx, { log, visit })
    visitRoutes(app, ctx, visit)
    await app.register(servicePages(ctx, visit))
    if (ctx.config.console) {
      await app.register(consolePages(ctx, collectMetrics), { prefix: '/console' })
    }
  }
}

/** The pages for visitors of links, without the pages for account holders and registration. */
export function visitPages(
  ctx: HttpContext,
  options: { log: FastifyBaseLogger; onError?: ErrorHandler },
) {
  return async function plugin(app: FastifyInstance): Promise<void> {
    const visit = createVisit(ctx)
    await setUp(app, ctx, { ...options, visit })
    visitRoutes(app, ctx, visit)
    await app.register(ownHostPages(ctx, visit))
  }
}

async function setUp(
  app: FastifyInstance,
  ctx: HttpContext,
  { log, visit, onError }: { log: FastifyBaseLogger; visit: Visit; onError?: ErrorHandler },
): Promise<void> {
  await pageSurface(app, ctx, log, forwardedPaths(ctx, visit), onError)
  // Pages accept only forms.
  app.removeAllContentTypeParsers()
  await app.register(formbody, { bodyLimit: 64 * 1024 })
}

/** Everything that visitors get on every host. */
function visitRoutes(app: FastifyInstance, ctx: HttpContext, visit: Visit): void {
  siteRoutes(app, ctx)
  wellKnownRoutes(app, ctx)
  appLinkRoutes(app, ctx)
  qrImageRoutes(app, ctx)
  shareImageRoutes(app, ctx)
  shortLinkRoutes(app, ctx, visit)
}

/** Pages that exist only on the service's own host. */
function servicePages(ctx: HttpContext, visit: Visit) {
  return async function plugin(app: FastifyInstance): Promise<void> {
    await app.register(ownHostPages(ctx, visit))
    app.addHook('onRequest', ownHostOnly(ctx))
    registerRoutes(app, ctx)
    if (ctx.config.console) await app.register(sharedPages(ctx))
  }
}

/** Public pages with texts of the console. */
function sharedPages(ctx: HttpContext) {
  return async function plugin(app: FastifyInstance): Promise<void> {
    followLanguage(app)
    sharedStatisticsRoute(app, ctx)
  }
}

/** Pages for visitors of links on the service's own host. */
function ownHostPages(ctx: HttpContext, visit: Visit) {
  return async function plugin(app: FastifyInstance): Promise<void> {
    app.addHook('onRequest', ownHostOnly(ctx))
    avatarRoute(app, ctx)
    publicListRoutes(app, ctx, visit)
  }
}
