import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../context.ts'
import { sendNotFound } from './not-found.ts'

/**
 * Returns the hook that hides the service's own pages on branded domains, which serve only short
 * links.
 */
export function ownHostOnly(ctx: HttpContext) {
  return async function guard(
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply | undefined> {
    const host = await ctx.hosts.resolve(request.headers.host ?? '')
    return host.kind === 'service' ? undefined : sendNotFound(ctx, reply, host)
  }
}
