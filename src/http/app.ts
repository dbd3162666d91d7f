import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { HttpContext } from '../context.ts'
import type { Edges } from '../edge/edges.ts'
import { createJsonApi } from './api/plugin.ts'
import { setUpApiSurface } from './api-surface.ts'
import { decorateBrandOf } from './brand-of.ts'
import { serveOpenApi } from './documentation.ts'
import { createEdgeRoutes } from './edge/edge-routes.ts'
import { RELAYED_SETTINGS } from './edge/relayed.ts'
import { createLegacyApi } from './legacy-api/plugin.ts'
import { createHttpLog } from './logging.ts'
import { createServer, type ServerOptions } from './server.ts'
import { createDocsRoutes } from './site/docs.ts'
import { createHealthRoutes } from './site/health.ts'
import { createInstallationMetrics } from './site/installation-metrics.ts'
import { createMetrics, createMetricsRoute, type ShareMetrics } from './site/metrics.ts'
import { createTlsAskRoute } from './site/tls-ask.ts'
import { createAllPages, createVisitorPages } from './visitor-pages.ts'
import { createYourlsApi } from './yourls-api/plugin.ts'

export type AppOptions = Partial<ServerOptions> & {
  /**
   * Creates the function that collects the metrics of all processes. By default, `/metrics` covers
   * only this process.
   */
  shareMetrics?: ShareMetrics
}

export const collectOwnMetrics: ShareMetrics = (read) => async () => [await read()]

const EDGE_OPTIONS = { prefix: '/internal/edge' }

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
  const collectProcessMetrics = shareMetrics(createMetrics(ctx))
  const readInstallationMetrics = createInstallationMetrics(ctx)
  const collectMetrics = async () => [
    ...(await collectProcessMetrics()),
    await readInstallationMetrics(),
  ]

  decorateBrandOf(app, ctx)
  await serveOpenApi(app)
  await app.register(createDocsRoutes(ctx))
  await app.register(createHealthRoutes(ctx))
  await app.register(createMetricsRoute(ctx, collectMetrics))
  await app.register(createTlsAskRoute(ctx))
  await app.register(createApiRoutes(ctx), { prefix: '/api' })
  if (config.yourlsApi) await app.register(createYourlsApi(ctx), { prefix: '/yourls-api.php' })
  if (ctx.edges)
    await app.register(await createEdgePlugin({ ...ctx, edges: ctx.edges }, log), EDGE_OPTIONS)
  await app.register(createAllPages(ctx, { collectMetrics }))
  return app
}

/**
 * Creates the plugin with the routes for edges. A second application handles the visitor requests
 * that they relay.
 */
async function createEdgePlugin(ctx: HttpContext & { edges: Edges }, log: Logger) {
  const config = { ...ctx.config, ...RELAYED_SETTINGS }
  const visitorApp = createServer({ ...ctx, config }, { log })
  decorateBrandOf(visitorApp, ctx)
  await visitorApp.register(createVisitorPages(ctx))
  const registerRoutes = createEdgeRoutes(ctx, visitorApp)
  return async function plugin(app: FastifyInstance): Promise<void> {
    app.addHook('onReady', () => visitorApp.ready().then(() => {}))
    app.addHook('onClose', () => visitorApp.close())
    await registerRoutes(app)
  }
}

function createApiRoutes(ctx: HttpContext) {
  return async function plugin(app: FastifyInstance): Promise<void> {
    await setUpApiSurface(app, ctx)
    await app.register(createLegacyApi(ctx), { prefix: '/v1' })
    await app.register(createJsonApi(ctx))
  }
}
