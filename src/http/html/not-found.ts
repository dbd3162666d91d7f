import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../context.ts'
import type { Host } from '../../domains/hosts.ts'
import { notFoundPage } from '../../pages/notice.ts'
import { toFollowableHref } from '../../urls/destination-url.ts'
import { prepareVisitorPage } from './send-page.ts'

const sendWithoutHomeLink = prepareVisitorPage(notFoundPage, { status: 404 })
const sendWithHomeLink = prepareVisitorPage(
  (context) => notFoundPage({ ...context, hasHomeLink: true }),
  { status: 404 },
)

/**
 * Sends the 404 page, or redirects to the URL that is configured for it on the branded domain. Counts
 * the request as a visit with the outcome `not_found`.
 */
export function sendNotFound(
  { counters }: Pick<HttpContext, 'counters'>,
  reply: FastifyReply,
  host: Host,
): FastifyReply {
  counters.visits.not_found += 1
  counters.visitDurations.record(performance.now() - reply.request.startedAt)
  reply.request.visitedHost = host
  if (host.kind === 'unknown') reply.server.reportUnknownHost(reply.request)
  const redirectUrl =
    host.kind === 'domain' ? toFollowableHref(host.domain.redirect404 ?? '') : undefined
  if (redirectUrl)
    return reply.header('cache-control', 'private, no-store').redirect(redirectUrl, 302)
  return host.kind === 'service' ? sendWithHomeLink(reply) : sendWithoutHomeLink(reply)
}

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
