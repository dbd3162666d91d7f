import formbody from '@fastify/formbody'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import type { HttpContext } from '../context.ts'
import type { Snapshot } from '../process/metrics-messages.ts'
import { sharedStatisticsRoute } from './console/analytics/share/public-route.ts'
import { consolePages } from './console/plugin.ts'
import { requireServiceHost } from './html/own-host.ts'
import { followLanguage } from './localization/language.ts'
import { type ErrorHandler, setUpPageSurface } from './page-surface.ts'
import { forwardedPaths } from './redirect/forwarded-paths.ts'
import { publicListRoutes } from './redirect/public-lists.ts'
import { qrImageRoutes } from './redirect/qr-image.ts'
import { shareImageRoutes } from './redirect/share-images.ts'
import { shortLinkRoutes } from './redirect/short-links.ts'
import { createVisit, type Visit } from './redirect/visit.ts'
import { appLinkRoutes } from './site/app-links.ts'
import { registrationRoutes } from './site/registration/routes.ts'
import { avatarRoute, siteRoutes } from './site/site.ts'
import { wellKnownRoutes } from './site/well-known.ts'

type Dependencies = {
  log: FastifyBaseLogger
  /** Collects the metrics of all processes and of the installation. */
  collectMetrics: () => Promise<Snapshot[]>
}

/** Creates the plugin for all pages: short links, registration and the console. */
export function visitorPages(ctx: HttpContext, { log, collectMetrics }: Dependencies) {
  return async function plugin(app: FastifyInstance): Promise<void> {
    const visit = createVisit(ctx)
    await setUpPages(app, ctx, { log, visit })
    visitRoutes(app, ctx, visit)
    await app.register(servicePages(ctx, visit))
    if (ctx.config.console) {
      await app.register(consolePages(ctx, collectMetrics), { prefix: '/console' })
    }
  }
}

/** Creates the plugin for the pages that visitors of links see. */
export function visitPages(
  ctx: HttpContext,
  options: { log: FastifyBaseLogger; onError?: ErrorHandler },
) {
  return async function plugin(app: FastifyInstance): Promise<void> {
    const visit = createVisit(ctx)
    await setUpPages(app, ctx, { ...options, visit })
    visitRoutes(app, ctx, visit)
    await app.register(serviceHostPages(ctx, visit))
  }
}

async function setUpPages(
  app: FastifyInstance,
  ctx: HttpContext,
  { log, visit, onError }: { log: FastifyBaseLogger; visit: Visit; onError?: ErrorHandler },
): Promise<void> {
  await setUpPageSurface(app, ctx, log, forwardedPaths(ctx, visit), onError)
  // Pages accept only forms.
  app.removeAllContentTypeParsers()
  await app.register(formbody, { bodyLimit: 64 * 1024 })
}

/** Registers the routes that exist on every host. */
function visitRoutes(app: FastifyInstance, ctx: HttpContext, visit: Visit): void {
  siteRoutes(app, ctx)
  wellKnownRoutes(app, ctx)
  appLinkRoutes(app, ctx)
  qrImageRoutes(app, ctx)
  shareImageRoutes(app, ctx)
  shortLinkRoutes(app, ctx, visit)
}

/** Creates the plugin for the pages that exist only on the service's host. */
function servicePages(ctx: HttpContext, visit: Visit) {
  return async function plugin(app: FastifyInstance): Promise<void> {
    await app.register(serviceHostPages(ctx, visit))
    app.addHook('onRequest', requireServiceHost(ctx))
    await app.register(localizedPages(ctx))
  }
}

/** Creates the plugin for public pages in the languages of the console. */
function localizedPages(ctx: HttpContext) {
  return async function plugin(app: FastifyInstance): Promise<void> {
    followLanguage(app)
    registrationRoutes(app, ctx)
    if (ctx.config.console) sharedStatisticsRoute(app, ctx)
  }
}

/** Creates the plugin for visitor pages that exist only on the service's host. */
function serviceHostPages(ctx: HttpContext, visit: Visit) {
  return async function plugin(app: FastifyInstance): Promise<void> {
    app.addHook('onRequest', requireServiceHost(ctx))
    avatarRoute(app, ctx)
    publicListRoutes(app, ctx, visit)
  }
}
