import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../context.ts'
import { isForwardablePath } from '../../links/forwarding.ts'
import { sendNotFound } from '../html/not-found.ts'
import { answerForm } from './forms.ts'
import { oneEachTurn } from './one-each-turn.ts'
import { partsOf } from './request-parts.ts'
import type { Visit } from './visit.ts'

/**
 * Returns the handler of requests without a route: visits of `/{alias}/any/thing` for links that
 * forward the path. It is not a route, so it does not hide other routes or slow down other visits.
 */
export function forwardedPaths(ctx: HttpContext, visit: Visit) {
  const waitForTurn = oneEachTurn()

  return async function handle(request: FastifyRequest, reply: FastifyReply) {
    const link = await findForwarding(request)
    if (!link) return sendNotFound(ctx, reply, await ctx.hosts.resolve(request.headers.host ?? ''))
    if (request.method !== 'POST') return visit.followed(request, reply, link)
    await new Promise<void>((resolve) => {
      Reflect.apply(waitForTurn, undefined, [request, reply, () => resolve()])
    })
    return answerForm(ctx, visit, request, reply, link)
  }

  async function findForwarding(request: FastifyRequest) {
    const { alias, path } = partsOf(request)
    const isVisit = ['GET', 'HEAD', 'POST'].includes(request.method)
    if (!isVisit || alias === '' || !isForwardablePath(path)) return undefined
    const name = decodeAlias(alias)
    const { link } = name === undefined ? { link: null } : await visit.find(request, name)
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
