import type { FastifyRequest } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { actAs } from '../../../links/versions/actor.ts'

/** Returns a context whose changes of links are recorded as those of the signed-in user. */
export function createActingContext(
  ctx: HttpContext,
  { session }: Pick<FastifyRequest, 'session'>,
) {
  return actAs(ctx, { surface: 'console', id: session.user.id })
}
