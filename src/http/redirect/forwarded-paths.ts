import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../context.ts'
import { isForwardablePath } from '../../links/forwarding.ts'
import { sendNotFound } from '../html/not-found.ts'
import { handleForm } from './forms.ts'
import { limitToOnePerTurn } from './one-per-turn.ts'
import { readRequestParts } from './request-parts.ts'
import type { Visit } from './visit.ts'

/**
 * Creates the handler for requests that match no route: visits to `/{alias}/any/thing` on links that
 * forward the path. A route for them would hide other routes and slow down other visits. Responds to
 * all other requests with 404.
 */
export function createForwardedPathHandler(ctx: HttpContext, visit: Visit) {
  const waitForTurn = limitToOnePerTurn()

  return async function handle(request: FastifyRequest, reply: FastifyReply) {
    const link = await findForwardingLink(request)
    if (!link) return sendNotFound(ctx, reply, await ctx.hosts.resolve(request.headers.host ?? ''))
    if (request.method !== 'POST') return visit.followAsync(request, reply, link)
    await new Promise<void>((resolve) => {
      // A plain call does not compile, because Fastify's hooks have a typed `this`.
      Reflect.apply(waitForTurn, undefined, [request, reply, () => resolve()])
    })
    return handleForm(ctx, visit, request, reply, link)
  }

  async function findForwardingLink(request: FastifyRequest) {
    const { alias, path } = readRequestParts(request)
    const isVisit = ['GET', 'HEAD', 'POST'].includes(request.method)
    if (!isVisit || alias === '' || !isForwardablePath(path)) return undefined
    const decodedAlias = decodeAlias(alias)
    const { link } =
      decodedAlias === undefined ? { link: null } : await visit.find(request, decodedAlias)
    return link?.forwarding?.path ? link : undefined
  }
}

function decodeAlias(alias: string): string | undefined {
  try {
    return decodeURIComponent(alias)
  } catch {
    return undefined
  }
}
