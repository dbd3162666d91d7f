import fastify, { type FastifyInstance } from 'fastify'
import { createHealthRoutes } from './site/health.ts'

/**
 * Creates an application that serves nothing: `/health/live` responds, the other health checks fail
 * with the reason, and all other requests receive 503.
 */
export function createRefusingApp(reason: string): FastifyInstance {
  const app = fastify({ logger: false, forceCloseConnections: true })
  const refuse = async () => ({ ready: false as const, reason })
  app.register(createHealthRoutes({ readiness: { checkAll: refuse, checkRedirects: refuse } }))
  app.setNotFoundHandler((_request, reply) =>
    reply
      .code(503)
      .headers({ 'retry-after': '5', 'cache-control': 'no-store' })
      .type('text/plain; charset=utf-8')
      .send('The service is temporarily unavailable. Please retry later.\n'),
  )
  return app
}
