import type { FastifyInstance } from 'fastify'
import type { Services } from '../services.ts'
import { jsonApi } from './api/plugin.ts'
import { apiSurface } from './api-surface.ts'
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
  /** Makes the function that collects what all processes count; without it this one is alone. */
  shareMetrics?: ShareMetrics
}

const alone: ShareMetrics = (read) => async () => [await read()]

/** The whole HTTP surface over the services. Listen on it, or inject requests. */
export async function buildApp(
  services: Services,
  {
    log = createHttpLog(services.config),
    shareMetrics = alone,
    ...options
  }: Options & Partial<ServerOptions> = {},
): Promise<FastifyInstance> {
  const { config } = services
  const app = createServer(services, { log, ...options })
  const metrics = createMetrics(services)
  const collectCounts = shareMetrics(() => metrics.getMetricsAsJSON())
  const installation = createInstallationMetrics(services)
  const collectMetrics = async () => [...(await collectCounts()), await installation()]

  await documentation(app)
  await app.register(docsRoutes(services))
  await app.register(health(services))
  await app.register(metricsRoute(services, collectMetrics))
  await app.register(tlsAskRoute(services))
  await app.register(api(services), { prefix: '/api' })
  if (config.yourlsApi) await app.register(yourlsApi(services), { prefix: '/yourls-api.php' })
  await app.register(visitorPages(services, { log, collectMetrics }))
  return app
}

function api(services: Services) {
  return async function plugin(app: FastifyInstance): Promise<void> {
    await apiSurface(app, services)
    await app.register(legacyApi(services), { prefix: '/v1' })
    await app.register(jsonApi(services))
  }
}
