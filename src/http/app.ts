import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { HttpContext } from '../context.ts'
import type { Edges } from '../edge/edges.ts'
import { describeAccess } from '../identity/key-scope.ts'
import { version } from '../version.ts'
import { createJsonApi } from './api/plugin.ts'
import { setUpApiSurface } from './api-surface.ts'
import { decorateBrandOf } from './brand-of.ts'
import { compressReplies } from './compression.ts'
import { createEdgeRoutes } from './edge/edge-routes.ts'
import { RELAYED_SETTINGS } from './edge/relayed.ts'
import { describeLegacyApi } from './legacy-api/openapi.ts'
import { createLegacyApi } from './legacy-api/plugin.ts'
import { createHttpLog } from './logging.ts'
import { createOauthPlugin } from './mcp/oauth-routes.ts'
import { createMcpPlugin } from './mcp/plugin.ts'
import { preventSniffing } from './response-headers.ts'
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
  if (config.mcp) await app.register(createMcpPlugin(ctx), { prefix: '/mcp' })
  if (ctx.authorizationServer) await app.register(createOauthPlugin(ctx, ctx.authorizationServer))
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

/** Serves `/openapi.json`, generated from the route schemas. */
async function serveOpenApi(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Brevis',
        version,
        description:
          'A JSON API for short links. Send your API key with every request as `Authorization: Bearer <API key>`. The legacy API takes the key in the path instead. Every response reports the rate limit in the headers `X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset` (Unix seconds). Each operation lists the key scope it requires: a `full` key can do everything, a `links` key everything except change the account and its domains, a `create` key can only create links, and a `read` key can only read. A key bound to a domain can only access links on that domain.',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: '/' }],
      components: {
        securitySchemes: { key: { type: 'http', scheme: 'bearer', description: 'Your API key.' } },
      },
      security: [{ key: [] }],
    },
    hideUntagged: true,
    transform: ({ schema, url, route }) => {
      const { access } = route.config ?? {}
      if (!access || !schema || schema.hide) return { schema, url }
      const description = [schema.description, describeAccess(access)].filter(Boolean).join(' ')
      return { schema: { ...schema, description, security: [{ key: [access.scope] }] }, url }
    },
    // The router sees the legacy API as a single route, because its parameters come in any order. It
    // is described separately.
    transformObject: (document) => {
      if (!('openapiObject' in document)) return document.swaggerObject
      const { paths, ...rest } = document.openapiObject
      return { ...rest, paths: { ...paths, ...describeLegacyApi() } }
    },
    // By default, references are numbered and change whenever a route is added.
    refResolver: {
      buildLocalReference: (json, _base, _fragment, i) => String(json.$id ?? `def-${i}`),
    },
  })
  await app.register(createDescriptionRoute())
}

function createDescriptionRoute() {
  return async function plugin(app: FastifyInstance): Promise<void> {
    preventSniffing(app)
    await compressReplies(app)
    app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger())
  }
}
