import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../../context.ts'
import { PROOF_PATH } from '../../domains/domain-proof.ts'

/** Serves the token that proves that a host points to this installation. */
export function wellKnownRoutes(app: FastifyInstance, { instance }: HttpContext): void {
  app.get(PROOF_PATH, { schema: { hide: true } }, async (_request, reply) =>
    reply
      .type('text/plain; charset=utf-8')
      .headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
      .send(instance.token),
  )
}
