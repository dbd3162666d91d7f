import fastify, { type FastifyInstance } from 'fastify'
import { isClosing, writeRawReply } from './raw-reply.ts'
import { createRequestId, identifyRequests } from './request/request-id.ts'
import { createHealthRoutes } from './site/health.ts'

const TEXT = 'The service is temporarily unavailable. Please retry later.\n'
const headers = {
  'retry-after': '5',
  'cache-control': 'no-store',
  'content-type': 'text/plain; charset=utf-8',
}

/**
 * Creates an application that serves nothing: `/health/live` responds, the other health checks fail
 * with the reason, and all other requests receive 503.
 */
export function createRefusingApp(reason: string): FastifyInstance {
  const app = fastify({
    logger: false,
    forceCloseConnections: true,
    genReqId: createRequestId,
    clientErrorHandler(error, socket) {
      if (isClosing(socket)) return
      if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy()
      else writeRawReply(socket, { status: 503, headers, body: TEXT })
    },
  })
  identifyRequests(app)
  const refuse = async () => ({ ready: false as const, reason })
  app.register(createHealthRoutes({ readiness: { checkAll: refuse, checkRedirects: refuse } }))
  app.setNotFoundHandler((_request, reply) => reply.code(503).headers(headers).send(TEXT))
  return app
}
