import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { HttpContext } from '../context.ts'
import type { Edges } from '../edge/edges.ts'
import { jsonApi } from './api/plugin.ts'
import { setUpApiSurface } from './api-surface.ts'
import { decorateBrandOf } from './brand-of.ts'
import { serveOpenApi } from './documentation.ts'
import { edgeRoutes } from './edge/edge-routes.ts'
import { legacyApi } from './legacy-api/plugin.ts'
import { createHttpLog } from './logging.ts'
import { createServer, type ServerOptions } from './server.ts'
import { docsRoutes } from './site/docs.ts'
import { health } from './site/health.ts'
import { createInstallationMetrics } from './site/installation-metrics.ts'
import { createMetrics, metricsRoute, type ShareMetrics } from './site/metrics.ts'
import { tlsAskRoute } from './site/tls-ask.ts'
import { visitorPages, visitPages } from './visitor-pages.ts'
import { yourlsApi } from './yourls-api/plugin.ts'

export type AppOptions = Partial<ServerOptions> & {
  /**
   * Creates the function that collects the metrics of all processes. By default, `/metrics` covers
   * only this process.
   */
  shareMetrics?: ShareMetrics
}

export const collectOwnMetrics: ShareMetrics = (read) => async () => [await read()]

const EDGES = { prefix: '/internal/edge' }

/** Builds the HTTP application. The caller calls `listen` or injects requests. */
export async function buildApp(
  ctx: HttpContext,
  {
    log = createHttpLog(ctx.config),
    shareMetrics = collectOwnMetrics,
    ...options
  }: AppOptions = {},
): Promise<FastifyInstance> {
  const { config } = ctx
  const app = createServer(ctx, { log, ...options })
  const metrics = createMetrics(ctx)
  const collectCounts = shareMetrics(() => metrics.getMetricsAsJSON())
  const installation = createInstallationMetrics(ctx)
  const collectMetrics = async () => [...(await collectCounts()), await installation()]

  decorateBrandOf(app, ctx)
  await serveOpenApi(app)
  await app.register(docsRoutes(ctx))
  await app.register(health(ctx))
  await app.register(metricsRoute(ctx, collectMetrics))
  await app.register(tlsAskRoute(ctx))
  await app.register(createApiRoutes(ctx), { prefix: '/api' })
  if (config.yourlsApi) await app.register(yourlsApi(ctx), { prefix: '/yourls-api.php' })
  if (ctx.edges)
    await app.register(await createEdgeRoutes({ ...ctx, edges: ctx.edges }, log), EDGES)
  await app.register(visitorPages(ctx, { log, collectMetrics }))
  return app
}

/**
 * Creates the routes for edges. A second application handles the visitor requests that they relay.
 */
async function createEdgeRoutes(ctx: HttpContext & { edges: Edges }, log: Logger) {
  const visitorApp = createServer(ctx, { log })
  decorateBrandOf(visitorApp, ctx)
  await visitorApp.register(visitPages(ctx, { log }))
  const routes = edgeRoutes(ctx, visitorApp)
  return async function plugin(app: FastifyInstance): Promise<void> {
    app.addHook('onReady', () => visitorApp.ready().then(() => {}))
    app.addHook('onClose', () => visitorApp.close())
    await routes(app)
  }
}

function createApiRoutes(ctx: HttpContext) {
  return async function plugin(app: FastifyInstance): Promise<void> {
    await setUpApiSurface(app, ctx)
    await app.register(legacyApi(ctx), { prefix: '/v1' })
    await app.register(jsonApi(ctx))
  }
}
