import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../context.ts'
import { AppError } from '../../errors.ts'
import type { CallAccess } from '../../identity/key-scope.ts'
import { bios } from '../../resources/bios.ts'
import { overlays } from '../../resources/overlays.ts'
import { PLAIN_RESOURCES } from '../../resources/resources.ts'
import { splashes } from '../../resources/splashes.ts'
import { createMethodGuard } from '../method-not-allowed.ts'
import { createGuard, readBearerKey } from '../request/auth.ts'
import { decodeBody, requireUtf8Escapes } from '../request/body-text.ts'
import { registerAccountRoutes } from './account.ts'
import type { ApiApp } from './api-app.ts'
import { sendError } from './api-app.ts'
import { registerDomainRoutes } from './domains.ts'
import { registerCampaignRoutes, registerChannelRoutes } from './groups.ts'
import { createRunOnce } from './idempotency.ts'
import { registerLinkRoutes } from './links.ts'
import { streamLongPages } from './long-pages.ts'
import { registerQrRoutes } from './qr.ts'
import { registerResource } from './resources.ts'
import { registerStatsRoutes } from './stats.ts'
import { registerVersionRoutes } from './versions.ts'

/**
 * Creates the plugin for the JSON API under `/api`. Clients authenticate with a key in
 * `Authorization`, and all replies share one envelope.
 */
export function createJsonApi(ctx: HttpContext) {
  return async function plugin(instance: FastifyInstance): Promise<void> {
    const app: ApiApp = instance.withTypeProvider<TypeBoxTypeProvider>()
    const runOnce = createRunOnce(ctx)
    const methodGuard = createMethodGuard(app)
    const guard = createGuard(ctx, 'api', { readKey: readBearerKey, readAccess: findRouteAccess })
    app.addHook('onRequest', guard)
    // Otherwise a search for text in another encoding would find nothing.
    app.addHook('onRequest', async ({ url }) => requireUtf8Escapes(url, 'rejections.url_not_utf8'))
    requireDeclaredAccess(app)
    app.setNotFoundHandler(methodGuard.rejectUnmatched)
    app.setErrorHandler((error, request, reply) => sendError(error, request, reply))
    parseJsonBodies(app)
    streamLongPages(app)
    registerAccountRoutes(app, ctx)
    registerLinkRoutes(app, ctx, runOnce)
    registerVersionRoutes(app, ctx)
    registerDomainRoutes(app, ctx, runOnce)
    registerCampaignRoutes(app, ctx, runOnce)
    registerChannelRoutes(app, ctx, runOnce)
    for (const resource of PLAIN_RESOURCES) registerResource(app, ctx, runOnce, resource)
    registerQrRoutes(app, ctx, runOnce)
    registerResource(app, ctx, runOnce, overlays)
    registerResource(app, ctx, runOnce, splashes)
    registerResource(app, ctx, runOnce, bios)
    registerStatsRoutes(app, ctx)
    methodGuard.addRejectingRoutes()
    // Without this route, `/api` itself would match a short link.
    app.all(
      '/',
      { schema: { hide: true }, config: { access: { scope: 'any', boundKeys: true } } },
      () => {
        throw new AppError('not_found')
      },
    )
  }
}

/**
 * Accepts JSON in the ways that legacy clients send it: as text/plain, without a content type, or
 * with a JSON type and no body. Removes `__proto__` and similar keys.
 */
function parseJsonBodies(app: ApiApp): void {
  const parseJson = app.getDefaultJsonParser('remove', 'remove')
  const parse = (
    request: FastifyRequest,
    body: Buffer,
    done: (error: Error | null, value?: unknown) => void,
  ) => {
    if (body.length === 0) return done(null, {})
    try {
      return parseJson(request, decodeBody(request, body), done)
    } catch (error) {
      return done(error as Error)
    }
  }
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(['application/json', 'text/plain'], { parseAs: 'buffer' }, parse)
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    if (request.headers['content-type']) done(new AppError('unsupported_media_type'))
    else return parse(request, body, done)
    return undefined
  })
}

/** Makes startup fail if a route's `config` does not declare the key scope that it requires. */
export function requireDeclaredAccess(app: FastifyInstance): void {
  app.addHook('onRoute', ({ method, path, config }) => {
    if (!config?.access) throw new Error(`${method} ${path} declares no config.access`)
  })
}

/** Returns the key scope that the request's route requires, or undefined without a route. */
function findRouteAccess({ routeOptions }: FastifyRequest): CallAccess | undefined {
  return routeOptions.config.access
}
