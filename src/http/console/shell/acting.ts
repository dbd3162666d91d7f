import type { FastifyRequest } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { actAs } from '../../../links/versions/actor.ts'

/** Returns a context that records link changes as made by the signed-in user. */
export function createActingContext(
  ctx: HttpContext,
  { session }: Pick<FastifyRequest, 'session'>,
) {
  return actAs(ctx, { surface: 'console', id: session.user.id })
}
