import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../../context.ts'
import { PROOF_PATH } from '../../domains/domain-proof.ts'

/** Registers the route for the token that proves that a host points to this installation. */
export function registerWellKnownRoutes(app: FastifyInstance, { instance }: HttpContext): void {
  app.get(PROOF_PATH, { schema: { hide: true } }, async (_request, reply) =>
    reply
      .type('text/plain; charset=utf-8')
      .headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
      .send(instance.token),
  )
}
