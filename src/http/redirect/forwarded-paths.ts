import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../context.ts'
import { normalizeAlias } from '../../urls/alias.ts'
import { sendNotFound } from '../html/not-found.ts'
import { rejectMethod } from '../method-not-allowed.ts'
import { limitToOnePerTurn } from './one-per-turn.ts'
import { readPathAndQuery } from './request-parts.ts'
import { createShortLinkHandlers, parseSubpage } from './short-links.ts'
import type { Visit } from './visit.ts'

const LINK_METHODS = ['GET', 'HEAD', 'POST']

/**
 * Creates the handler for requests that match no route: visits to links whose alias has slashes, and
 * to `/{alias}/any/thing` on links that forward the path. A route for them would hide other routes and
 * slow down other visits. Responds to all other requests with 404.
 */
export function createForwardedPathHandler(ctx: HttpContext, visit: Visit) {
  const waitForTurn = limitToOnePerTurn()
  const handlers = createShortLinkHandlers(ctx, visit)

  return function handle(request: FastifyRequest, reply: FastifyReply): unknown {
    const path = decode(readPathAndQuery(request).path)
    const isVisit = ['GET', 'HEAD'].includes(request.method)
    return path !== undefined && isVisit && !parseSubpage(path)
      ? visit.handle(request, reply, path)
      : handleOther(request, reply, path)
  }

  async function handleOther(
    request: FastifyRequest,
    reply: FastifyReply,
    path: string | undefined,
  ): Promise<FastifyReply> {
    const isSupported = LINK_METHODS.includes(request.method)
    if (path === undefined || !isSupported) {
      // An edge must not ask the main installation about a method that it would not relay.
      const { link } =
        path === undefined ? {} : await visit.find(request, path).catch(() => ({ link: null }))
      if (link) rejectMethod(reply, LINK_METHODS)
      return sendNotFound(ctx, reply, await ctx.hosts.resolve(request.headers.host ?? ''))
    }
    const subpage = await findSubpage(request, path)
    if (request.method !== 'POST') {
      return subpage
        ? handlers.sendSubpage(request, reply, subpage)
        : visit.handleUncached(request, reply, path)
    }
    await new Promise<void>((resolve) => {
      // A plain call does not compile, because Fastify's hooks have a typed `this`.
      Reflect.apply(waitForTurn, undefined, [request, reply, () => resolve()])
    })
    return handlers.handlePost(request, reply, path, subpage)
  }

  /** Returns the subpage of a link at a path, unless its plus belongs to a forwarded path. */
  async function findSubpage(request: FastifyRequest, path: string) {
    const subpage = parseSubpage(path)
    const { link } = subpage
      ? await visit.find(request, subpage.alias, { isWhole: true })
      : { link: null }
    const isExact = link?.alias === normalizeAlias(subpage?.alias ?? '')
    return link && (isExact || !link.forwarding?.path) ? subpage : undefined
  }
}

function decode(path: string): string | undefined {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}
