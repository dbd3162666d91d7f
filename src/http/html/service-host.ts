import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../context.ts'
import { sendNotFound } from './not-found.ts'

/**
 * Returns a hook that responds with 404 on hosts other than the service's, because branded domains
 * serve only short links.
 */
export function requireServiceHost(ctx: HttpContext) {
  return async function guard(
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply | undefined> {
    const host = await ctx.hosts.resolve(request.headers.host ?? '')
    return host.kind === 'service' ? undefined : sendNotFound(ctx, reply, host)
  }
}
