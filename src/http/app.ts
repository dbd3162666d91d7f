import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../context.ts'
import { jsonApi } from './api/plugin.ts'
import { apiSurface } from './api-surface.ts'
import { decorateBrandOf } from './brand-of.ts'
import { documentation } from './documentation.ts'
import { legacyApi } from './legacy-api/plugin.ts'
import { createHttpLog } from './logging.ts'
import { createServer, type ServerOptions } from './server.ts'
import { docsRoutes } from './site/docs.ts'
import { health } from './site/health.ts'
import { createInstallationMetrics } from './site/installation-metrics.ts'
import { createMetrics, metricsRoute, type ShareMetrics } from './site/metrics.ts'
import { tlsAskRoute } from './site/tls-ask.ts'
import { visitorPages } from './visitor-pages.ts'
import { yourlsApi } from './yourls-api/plugin.ts'

type Options = {
  /**
   * Creates the function that collects the metrics of all processes. Without it, only this process
   * is reported.
   */
  shareMetrics?: ShareMetrics
}

const alone: ShareMetrics = (read) => async () => [await read()]

/** Builds the HTTP application over the services. Call `listen`, or inject requests. */
export async function buildApp(
  ctx: HttpContext,
  {
    log = createHttpLog(ctx.config),
    shareMetrics = alone,
    ...options
  }: Options & Partial<ServerOptions> = {},
): Promise<FastifyInstance> {
  const { config } = ctx
  const app = createServer(ctx, { log, ...options })
  const metrics = createMetrics(ctx)
  const collectCounts = shareMetrics(() => metrics.getMetricsAsJSON())
  const installation = createInstallationMetrics(ctx)
  const collectMetrics = async () => [...(await collectCounts()), await installation()]

  decorateBrandOf(app, ctx)
  await documentation(app)
  await app.register(docsRoutes(ctx))
  await app.register(health(ctx))
  await app.register(metricsRoute(ctx, collectMetrics))
  await app.register(tlsAskRoute(ctx))
  await app.register(api(ctx), { prefix: '/api' })
  if (config.yourlsApi) await app.register(yourlsApi(ctx), { prefix: '/yourls-api.php' })
  await app.register(visitorPages(ctx, { log, collectMetrics }))
  return app
}

function api(ctx: HttpContext) {
  return async function plugin(app: FastifyInstance): Promise<void> {
    await apiSurface(app, ctx)
    await app.register(legacyApi(ctx), { prefix: '/v1' })
    await app.register(jsonApi(ctx))
  }
}
