import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../context.ts'
import {
  APP_LINK_NAMES,
  APP_LINKS,
  type AppLinkName,
  findAppLink,
} from '../../domains/app-links.ts'
import { PROOF_PATH } from '../../domains/domain-proof.ts'
import { sendNotFound } from '../html/not-found.ts'
import { pageRoute } from '../html/page-route.ts'
import { noSniffHeader } from '../response-headers.ts'

/** Registers the route for the token that proves that a host points to this installation. */
export function registerWellKnownRoutes(app: FastifyInstance, { instance }: HttpContext): void {
  app.get(PROOF_PATH, { schema: { hide: true } }, async (_request, reply) =>
    reply
      .type('text/plain; charset=utf-8')
      .headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
      .send(instance.token),
  )
}

/**
 * Registers the routes for the files that make links on a branded domain open in apps. The files are
 * served directly, because apps do not follow redirects.
 */
export function registerAppLinkRoutes(app: FastifyInstance, ctx: HttpContext): void {
  for (const name of APP_LINK_NAMES) {
    app.route({
      ...pageRoute,
      url: APP_LINKS[name].path,
      handler: (request, reply) => sendAppLink(request, reply, name),
    })
  }

  async function sendAppLink(
    request: FastifyRequest,
    reply: FastifyReply,
    name: AppLinkName,
  ): Promise<FastifyReply> {
    const host = await ctx.hosts.resolve(request.headers.host ?? '')
    const text =
      host.kind === 'domain' ? await findAppLink(ctx, ctx.db, host.domain.host, name) : null
    if (text === null) return sendNotFound(ctx, reply, { kind: 'unknown' })
    return reply
      .header('content-type', 'application/json')
      .headers({ 'cache-control': 'public, max-age=300', ...noSniffHeader })
      .send(Buffer.from(text))
  }
}
