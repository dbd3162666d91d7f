import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../../context.ts'
import { noSniffing } from '../no-sniffing.ts'

/**
 * `/health/live` responds while the process runs, `/health/ready` with 503 while it cannot serve.
 */
export function health({ readiness }: HttpContext) {
  return async function plugin(app: FastifyInstance): Promise<void> {
    noSniffing(app)
    app.get('/health/live', { schema: { hide: true } }, async () => ({ status: 'ok' }))

    app.get('/health/ready', { schema: { hide: true } }, async (_request, reply) => {
      const { ready, reason } = await readiness()
      if (!ready) reply.code(503).header('retry-after', '2')
      return ready ? { status: 'ok' } : { status: 'not ready', reason }
    })
  }
}
