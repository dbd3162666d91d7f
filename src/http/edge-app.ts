import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../context.ts'
import type { PostToMain } from '../edge/main-client.ts'
import { AppError } from '../errors.ts'
import { type AppOptions, collectOwnMetrics } from './app.ts'
import { decorateBrandOf } from './brand-of.ts'
import { createMainOnlyRoutes } from './edge/main-only-routes.ts'
import { createRelay } from './edge/relay.ts'
import { sendErrorPage } from './html/error-page.ts'
import { createHttpLog } from './logging.ts'
import { createServer } from './server.ts'
import { createHealthRoutes } from './site/health.ts'
import { createInstallationMetrics } from './site/installation-metrics.ts'
import { createMetrics, createMetricsRoute } from './site/metrics.ts'
import { createTlsAskRoute } from './site/tls-ask.ts'
import { createVisitorPages } from './visitor-pages.ts'

const RELAYED_METHODS = ['GET', 'HEAD', 'POST']

/**
 * Builds the HTTP application of an edge. It serves visitors, health checks and metrics, and refers
 * all other requests to the main installation.
 */
export async function buildEdgeApp(
  ctx: HttpContext & { postToMain: PostToMain },
  {
    log = createHttpLog(ctx.config),
    shareMetrics = collectOwnMetrics,
    ...options
  }: AppOptions = {},
): Promise<FastifyInstance> {
  const app = createServer(ctx, { log, ...options })
  const collectProcessMetrics = shareMetrics(createMetrics(ctx))
  const readInstallationMetrics = createInstallationMetrics(ctx)
  const relay = createRelay(ctx.postToMain)

  decorateBrandOf(app, ctx)
  await app.register(createHealthRoutes(ctx))
  await app.register(
    createMetricsRoute(ctx, async () => [
      ...(await collectProcessMetrics()),
      await readInstallationMetrics(),
    ]),
  )
  await app.register(createTlsAskRoute(ctx))
  await app.register(createMainOnlyRoutes(ctx))
  await app.register(
    createVisitorPages(ctx, {
      // The main installation handles requests that need the database.
      onError: (error, request, reply) =>
        isUnavailable(error) && RELAYED_METHODS.includes(request.method)
          ? relay(request, reply).catch((failure) => sendErrorPage(ctx, failure, request, reply))
          : sendErrorPage(ctx, error, request, reply),
    }),
  )
  return app
}

function isUnavailable(error: unknown): boolean {
  return error instanceof AppError && error.code === 'database_unavailable'
}
