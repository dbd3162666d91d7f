import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findSession } from '../../../accounts/session.service.ts'
import { getCampaignLinkIds } from '../../../campaigns/campaign.service.ts'
import { getChannelLinkIds } from '../../../channels/channel.service.ts'
import type { Scope } from '../../../clicks/read.ts'
import type { HttpContext } from '../../../context.ts'
import { getLink } from '../../../links/link.service.ts'
import type { LiveStatistics } from '../../../live/live-feed.ts'
import { getQrCode } from '../../../qr/qr.service.ts'
import { findTagWithLinks } from '../../../tags/tag.service.ts'
import { readSessionToken } from '../../html/session-cookie.ts'
import { noSniffHeader } from '../../no-sniffing.ts'
import { parsePathId } from '../shell/path-id.ts'

type LiveRequest = FastifyRequest<{ Params: { id: string }; Querystring: { tag?: unknown } }>
type FindScope = (request: LiveRequest, accountId: number) => Promise<Scope>

/** Milliseconds after which browsers reconnect. */
const RETRY_MS = 3000

const headers = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // Makes nginx forward each event immediately.
  'x-accel-buffering': 'no',
  ...noSniffHeader,
}

/**
 * Sends the live figures of an account, or of one subject, as server-sent events. The id of an event is the
 * number of all-time clicks, so a browser that reconnects knows whether it has missed some. A client that does
 * not accept events gets the first one only.
 * https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export function registerLiveRoute(app: FastifyInstance, ctx: HttpContext): void {
  const { config, db, live } = ctx
  // Otherwise open feeds would keep the server from closing.
  app.addHook('preClose', async () => live.close())
  for (const [page, find] of Object.entries(createScopes(ctx))) {
    app.get(`${page}/live`, { schema: { hide: true } }, (request: LiveRequest, reply) =>
      sendFeed(request, reply, find),
    )
  }

  async function sendFeed(
    request: LiveRequest,
    reply: FastifyReply,
    find: FindScope,
  ): Promise<FastifyReply> {
    const disconnected = new AbortController()
    reply.raw.once('close', () => disconnected.abort())
    // The browser may have disconnected while its session was read.
    if (reply.raw.closed || request.raw.socket.destroyed) disconnected.abort()
    const feed = live.follow({
      scope: await find(request, request.session.account.id),
      signal: disconnected.signal,
      isAllowed: () => isStillSignedIn(request),
    })
    // If the client never reads the reply, the feed must be ended here.
    disconnected.signal.addEventListener('abort', () => feed.return())
    // Errors before the first event are ordinary replies.
    const first = await feed.next()
    const isFollowed = request.headers.accept?.includes('text/event-stream') ?? false
    if (!isFollowed) disconnected.abort()
    return reply.headers(headers).send(Readable.from(toEvents(first, feed)))
  }

  async function isStillSignedIn(request: LiveRequest): Promise<boolean> {
    const { id, account } = request.session
    const session = await findSession(ctx, db, readSessionToken(config, request) ?? '')
    return session?.id === id && session.account.id === account.id
  }
}

/** The pages with live figures, each with the clicks that it shows. */
function createScopes(ctx: HttpContext): Record<string, FindScope> {
  const { db } = ctx
  return {
    '/analytics': async ({ query: { tag } }, accountId) => {
      if (typeof tag !== 'string' || tag.trim() === '') return { accountId }
      return { accountId, linkIds: (await findTagWithLinks(db, accountId, tag)).linkIds }
    },
    '/links/:id': async ({ params }, accountId) => {
      const { id } = await getLink(ctx, db, accountId, parsePathId(params.id))
      return { accountId, linkIds: [id] }
    },
    '/campaigns/:id': async ({ params }, accountId) => ({
      accountId,
      linkIds: await getCampaignLinkIds(db, accountId, parsePathId(params.id)),
    }),
    '/channels/:id': async ({ params }, accountId) => ({
      accountId,
      linkIds: await getChannelLinkIds(db, accountId, parsePathId(params.id)),
    }),
    '/codes/:id': async ({ params }, accountId) => {
      const { linkId } = await getQrCode(ctx, db, accountId, parsePathId(params.id))
      return { accountId, linkIds: linkId === null ? [] : [linkId] }
    },
  }
}

async function* toEvents(
  first: IteratorResult<LiveStatistics | undefined, void>,
  feed: AsyncGenerator<LiveStatistics | undefined, void>,
): AsyncGenerator<string, void> {
  yield `retry: ${RETRY_MS}\n\n`
  if (first.done) return
  yield toEvent(first.value)
  for await (const figures of feed) yield toEvent(figures)
}

/** Formats an event. A heartbeat is a comment. */
function toEvent(figures: LiveStatistics | undefined): string {
  if (!figures) return ':\n\n'
  const { clicks, visitors = null } = figures
  return `id: ${clicks}\ndata: ${JSON.stringify({ clicks, visitors })}\n\n`
}
