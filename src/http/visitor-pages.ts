import cookie from '@fastify/cookie'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import type { HttpContext } from '../context.ts'
import type { Snapshot } from '../process/metrics-messages.ts'
import { compressReplies } from './compression.ts'
import { registerSharedStatisticsRoute } from './console/analytics/share.ts'
import { createConsolePages } from './console/plugin.ts'
import { followLanguage } from './follow-language.ts'
import { sendErrorPage } from './html/error-page.ts'
import { requireServiceHost, sendNotFound } from './html/not-found.ts'
import { createMethodGuard, type MethodGuard } from './method-not-allowed.ts'
import { createForwardedPathHandler } from './redirect/forwarded-paths.ts'
import { registerPublicListRoutes } from './redirect/public-lists.ts'
import { registerQrImageRoutes } from './redirect/qr-image.ts'
import { registerShareImageRoutes } from './redirect/share-images.ts'
import { registerShortLinkRoutes } from './redirect/short-links.ts'
import { createVisit, type Visit } from './redirect/visit.ts'
import { checkHost } from './request/auth.ts'
import { parseUrlEncodedForms } from './request/body-text.ts'
import { registerRegistrationRoutes } from './site/registration.ts'
import {
  registerAppLinkRoutes,
  registerAvatarRoute,
  registerSiteRoutes,
  registerWellKnownRoutes,
} from './site/site.ts'

type ErrorHandler = (
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
) => FastifyReply | Promise<FastifyReply>

type Dependencies = {
  /** Collects the metrics of all processes and of the installation. */
  collectMetrics: () => Promise<Snapshot[]>
}

/** Creates the plugin for all pages: visitor pages, registration and the console. */
export function createAllPages(ctx: HttpContext, { collectMetrics }: Dependencies) {
  return async function plugin(app: FastifyInstance): Promise<void> {
    const visit = createVisit(ctx)
    const methodGuard = await setUpPages(app, ctx, { visit })
    registerVisitRoutes(app, ctx, visit)
    await app.register(createServicePages(ctx, visit))
    methodGuard.addRejectingRoutes()
    if (ctx.config.console) {
      await app.register(createConsolePages(ctx, collectMetrics), { prefix: '/console' })
    }
  }
}

/** Creates the plugin for the pages that visitors of links see. */
export function createVisitorPages(ctx: HttpContext, options: { onError?: ErrorHandler } = {}) {
  return async function plugin(app: FastifyInstance): Promise<void> {
    const visit = createVisit(ctx)
    const methodGuard = await setUpPages(app, ctx, { ...options, visit })
    registerVisitRoutes(app, ctx, visit)
    await app.register(createServiceHostPages(ctx, visit))
    methodGuard.addRejectingRoutes()
  }
}

async function setUpPages(
  app: FastifyInstance,
  ctx: HttpContext,
  { visit, onError }: { visit: Visit; onError?: ErrorHandler },
): Promise<MethodGuard> {
  const notFound = createForwardedPathHandler(ctx, visit)
  const methodGuard = await setUpPageSurface(app, ctx, notFound, onError)
  // Pages accept only forms.
  app.removeAllContentTypeParsers()
  parseUrlEncodedForms(app, 64 * 1024)
  return methodGuard
}

/** Registers the routes that exist on every host. */
function registerVisitRoutes(app: FastifyInstance, ctx: HttpContext, visit: Visit): void {
  registerSiteRoutes(app, ctx)
  registerWellKnownRoutes(app, ctx)
  registerAppLinkRoutes(app, ctx)
  registerQrImageRoutes(app, ctx)
  registerShareImageRoutes(app, ctx)
  registerShortLinkRoutes(app, ctx, visit)
}

/** Creates the plugin for the pages that exist only on the service's host. */
function createServicePages(ctx: HttpContext, visit: Visit) {
  return async function plugin(app: FastifyInstance): Promise<void> {
    await app.register(createServiceHostPages(ctx, visit))
    app.addHook('onRequest', requireServiceHost(ctx))
    await app.register(createLocalizedPages(ctx))
  }
}

/** Creates the plugin for public pages in the languages of the console. */
function createLocalizedPages(ctx: HttpContext) {
  return async function plugin(app: FastifyInstance): Promise<void> {
    await compressReplies(app)
    followLanguage(app)
    registerRegistrationRoutes(app, ctx)
    if (ctx.config.console) registerSharedStatisticsRoute(app, ctx)
  }
}

/** Creates the plugin for visitor pages that exist only on the service's host. */
function createServiceHostPages(ctx: HttpContext, visit: Visit) {
  return async function plugin(app: FastifyInstance): Promise<void> {
    app.addHook('onRequest', requireServiceHost(ctx))
    registerAvatarRoute(app, ctx)
    registerPublicListRoutes(app, ctx, visit)
  }
}

/**
 * Sets up the common parts of visitor pages: error pages, cookies, the host check, and the guard of
 * methods, whose `addRejectingRoutes` the caller must call after the last route.
 */
async function setUpPageSurface(
  app: FastifyInstance,
  ctx: HttpContext,
  notFound: RouteHandlerMethod = async (request, reply) =>
    sendNotFound(ctx, reply, await ctx.hosts.resolve(request.headers.host ?? '')),
  onError: ErrorHandler = (error, request, reply) => sendErrorPage(ctx, error, request, reply),
): Promise<MethodGuard> {
  const methodGuard = createMethodGuard(app)
  app.addHook('onRequest', (request, reply, done) => {
    checkHost(request)
    // Before the body is read, because its type does not matter.
    if (request.is404) methodGuard.rejectUnsupported(request, reply)
    done()
  })
  // The hook would parse cookies on every request, but only pages with a form read them.
  await app.register(cookie, { hook: false })
  app.setErrorHandler(onError)
  app.setNotFoundHandler(notFound)
  return methodGuard
}
