import type { FastifyInstance, FastifyReply } from 'fastify'
import type { HttpContext } from '../../context.ts'
import type { Readiness } from '../../process/readiness.ts'
import { preventSniffing } from '../response-headers.ts'

/**
 * Creates the plugin for health checks. `/health/live` responds as long as the process runs.
 * `/health/redirects` responds with 503 while the process cannot serve visits, and `/health/ready`
 * also while it cannot serve the console and the APIs, which need the database.
 */
export function createHealthRoutes({
  readiness,
}: {
  readiness: Pick<HttpContext['readiness'], 'checkAll' | 'checkRedirects'>
}) {
  return async function plugin(app: FastifyInstance): Promise<void> {
    preventSniffing(app)
    const options = { schema: { hide: true } }
    app.get('/health/live', options, async () => ({ status: 'ok' }))
    app.get('/health/redirects', options, async (_request, reply) =>
      present(reply, await readiness.checkRedirects()),
    )
    app.get('/health/ready', options, async (_request, reply) =>
      present(reply, await readiness.checkAll()),
    )
  }
}

function present(reply: FastifyReply, { ready, reason }: Readiness) {
  if (ready) return { status: 'ok' }
  reply.code(503).header('retry-after', '2')
  return { status: 'not ready', reason }
}
