import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { CallAccess } from '../../accounts/key-scope.ts'
import type { HttpContext } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { activeKeyUrls } from '../../links/key-links.ts'
import { isPrefetch } from '../../visitors/crawler.ts'
import { rejectOtherMethods } from '../method-not-allowed.ts'
import { createGuard, pathKey } from '../request/auth.ts'
import { reachOf } from '../request/key-reach.ts'
import { secrecyHeaders } from '../secrecy.ts'
import { parsePath } from './grammar.ts'
import { operationAccess, perform } from './operations.ts'
import { pathOf, sendData, sendLegacyError, sendList } from './reply.ts'

const calls = '/:key/shorturl/*'

/** The legacy API under `/api/v1/<key>/shorturl/`: GET requests with all parameters in the path. */
export function legacyApi(ctx: HttpContext) {
  const { access, clock } = ctx
  const guard = createGuard(access, { readKey: pathKey, readAccess })

  return async function plugin(app: FastifyInstance): Promise<void> {
    app.addHook('onRequest', guard)
    app.addHook('onRequest', refusePrefetch)
    app.addHook('onSend', async (_request, reply) => {
      reply.headers(secrecyHeaders)
    })
    app.setNotFoundHandler(() => {
      throw new AppError('not_found')
    })
    app.setErrorHandler((error, request, reply) => sendLegacyError(ctx, error, request, reply))
    ignoreBodies(app)
    app.get(calls, { schema: { hide: true } }, answer)
    rejectOtherMethods(app, calls, ['GET'])
  }

  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const now = clock()
    const reach = reachOf(request, 'legacy-api')
    const call = parsePath(callPath(request))
    const { format } = call
    if (call.operation === 'list_active_urls') {
      const shortUrls = activeKeyUrls(ctx, ctx.db, reach)
      return sendList(request, reply, { format, shortUrls, now })
    }
    const data = await perform(ctx, reach, call, now)
    return sendData(request, reply, { format, code: 200, data, now })
  }
}

/**
 * Returns the scope that a call requires. A request with another method does nothing and is
 * rejected.
 */
function readAccess(request: FastifyRequest): CallAccess | undefined {
  return request.method === 'GET' ? operationAccess(callPath(request)) : undefined
}

/** Calls change data, so browsers must not prefetch them. */
async function refusePrefetch(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (request.method !== 'GET' || request.is404 || !isPrefetch(request.headers)) return
  reply.header('allow', 'GET')
  throw new AppError('method_not_allowed')
}

/** Calls have no body. A body of any type is ignored. */
function ignoreBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
}

/** Returns the raw path after `/api/v1/<key>/shorturl/`. */
function callPath(request: FastifyRequest): string {
  return pathOf(request).replace(/^\/api\/v1\/[^/]*\/shorturl\//, '')
}
