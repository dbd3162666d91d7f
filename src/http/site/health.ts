import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../../context.ts'
import { preventSniffing } from '../no-sniffing.ts'

/**
 * Creates the plugin for health checks. `/health/live` responds as long as the process runs. `/health/ready`
 * responds with 503 while the process cannot serve requests.
 */
export function createHealthRoutes({ readiness }: HttpContext) {
  return async function plugin(app: FastifyInstance): Promise<void> {
    preventSniffing(app)
    app.get('/health/live', { schema: { hide: true } }, async () => ({ status: 'ok' }))

    app.get('/health/ready', { schema: { hide: true } }, async (_request, reply) => {
      const { ready, reason } = await readiness()
      if (!ready) reply.code(503).header('retry-after', '2')
      return ready ? { status: 'ok' } : { status: 'not ready', reason }
    })
  }
}
