import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../context.ts'
import type { PostToMain } from '../edge/main-client.ts'
import { AppError } from '../errors.ts'
import { type AppOptions, collectOwnMetrics } from './app.ts'
import { decorateBrandOf } from './brand-of.ts'
import { mainOnlyRoutes } from './edge/elsewhere.ts'
import { createRelay } from './edge/relay.ts'
import { sendErrorPage } from './html/error-page.ts'
import { createHttpLog } from './logging.ts'
import { createServer } from './server.ts'
import { health } from './site/health.ts'
import { createInstallationMetrics } from './site/installation-metrics.ts'
import { createMetrics, metricsRoute } from './site/metrics.ts'
import { tlsAskRoute } from './site/tls-ask.ts'
import { visitPages } from './visitor-pages.ts'

/** Builds the HTTP application of an edge, which serves only visitors. */
export async function buildEdgeApp(
  ctx: HttpContext & { postToMain: PostToMain },
  {
    log = createHttpLog(ctx.config),
    shareMetrics = collectOwnMetrics,
    ...options
  }: AppOptions = {},
): Promise<FastifyInstance> {
  const app = createServer(ctx, { log, ...options })
  const metrics = createMetrics(ctx)
  const collectCounts = shareMetrics(() => metrics.getMetricsAsJSON())
  const installation = createInstallationMetrics(ctx)
  const relay = createRelay(ctx.postToMain)

  decorateBrandOf(app, ctx)
  await app.register(health(ctx))
  await app.register(
    metricsRoute(ctx, async () => [...(await collectCounts()), await installation()]),
  )
  await app.register(tlsAskRoute(ctx))
  await app.register(mainOnlyRoutes(ctx))
  await app.register(
    visitPages(ctx, {
      log,
      // The main installation handles requests that need the database.
      onError: (error, request, reply) =>
        isUnavailable(error)
          ? relay(request, reply).catch((failure) => sendErrorPage(ctx, failure, request, reply))
          : sendErrorPage(ctx, error, request, reply),
    }),
  )
  return app
}

function isUnavailable(error: unknown): boolean {
  return error instanceof AppError && error.code === 'database_unavailable'
}
