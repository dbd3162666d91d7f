import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../context.ts'
import { AppError } from '../../errors.ts'
import type { CallAccess } from '../../identity/key-scope.ts'
import { listActiveShortUrls } from '../../links/link-list.service.ts'
import { isPrefetch } from '../../visitors/crawler.ts'
import { rejectOtherMethods } from '../method-not-allowed.ts'
import { createGuard, readPathKey } from '../request/auth.ts'
import { secrecyHeaders } from '../response-headers.ts'
import { parsePath } from './grammar.ts'
import { executeCall, findOperationAccess } from './operations.ts'
import { readRawPath, sendData, sendLegacyError, sendList } from './reply.ts'

const CALL_PATH = '/:key/shorturl/*'

/** Creates the plugin for the legacy API, whose GET requests have all parameters in the path. */
export function createLegacyApi(ctx: HttpContext) {
  const { clock } = ctx
  const guard = createGuard(ctx, 'legacy-api', { readKey: readPathKey, readAccess })

  return async function plugin(app: FastifyInstance): Promise<void> {
    app.addHook('onRequest', guard)
    app.addHook('onRequest', rejectPrefetch)
    app.addHook('onSend', async (_request, reply) => {
      reply.headers(secrecyHeaders)
    })
    app.setNotFoundHandler(() => {
      throw new AppError('not_found')
    })
    app.setErrorHandler((error, request, reply) => sendLegacyError(ctx, error, request, reply))
    ignoreBodies(app)
    app.get(CALL_PATH, { schema: { hide: true } }, handleCall)
    rejectOtherMethods(app, CALL_PATH, ['GET'])
  }

  async function handleCall(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const now = clock()
    const { scope } = request
    const call = parsePath(readCallPath(request))
    const { format } = call
    if (call.operation === 'list_active_urls') {
      const shortUrls = listActiveShortUrls(scope)
      return sendList(request, reply, { format, shortUrls, now })
    }
    const data = await executeCall(scope, call, now)
    return sendData(request, reply, { format, code: 200, data, now })
  }
}

/**
 * Returns the access that a call requires, or undefined for other methods, which are rejected
 * anyway.
 */
function readAccess(request: FastifyRequest): CallAccess | undefined {
  return request.method === 'GET' ? findOperationAccess(readCallPath(request)) : undefined
}

/** Rejects prefetches, because GET requests change data in this API. */
async function rejectPrefetch(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (request.method !== 'GET' || request.is404 || !isPrefetch(request.headers)) return
  reply.header('allow', 'GET')
  throw new AppError('method_not_allowed')
}

/** Ignores request bodies of any type, because calls need none. */
function ignoreBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
}

/** Returns the raw path after `/api/v1/<key>/shorturl/`. */
function readCallPath(request: FastifyRequest): string {
  return readRawPath(request).replace(/^\/api\/v1\/[^/]*\/shorturl\//, '')
}
