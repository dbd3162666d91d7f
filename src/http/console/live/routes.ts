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
import { parsePathId } from '../../request/path-id.ts'
import { formFor } from '../kit/roles.ts'

type LiveRequest = FastifyRequest<{ Params: { id: string }; Querystring: { tag?: unknown } }>
/** Returns the account, or the links in it, whose clicks a page shows. Throws AppError `not_found`. */
type FindScope = (request: LiveRequest, accountId: number) => Promise<Scope>

/** The milliseconds after which browsers reconnect to a feed that ended. */
const RETRY_MS = 3000

const headers = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // Makes nginx forward each event immediately.
  'x-accel-buffering': 'no',
  ...noSniffHeader,
}

/**
 * Registers the feeds of live statistics as server-sent events, each at the path of its page plus
 * `/live`. A client that does not accept `text/event-stream` gets only the first event.
 * https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export function registerLiveRoute(app: FastifyInstance, ctx: HttpContext): void {
  const { config, db, live } = ctx
  // Otherwise open feeds would keep the server from closing.
  app.addHook('preClose', async () => live.close())
  for (const [path, findScope] of Object.entries(createScopes(ctx))) {
    app.get(`${path}/live`, formFor('viewer'), (request: LiveRequest, reply) =>
      sendFeed(request, reply, findScope),
    )
  }

  async function sendFeed(
    request: LiveRequest,
    reply: FastifyReply,
    findScope: FindScope,
  ): Promise<FastifyReply> {
    const disconnected = new AbortController()
    reply.raw.once('close', () => disconnected.abort())
    // The browser may have disconnected while its session was read.
    if (reply.raw.closed || request.raw.socket.destroyed) disconnected.abort()
    const feed = live.follow({
      scope: await findScope(request, request.session.account.id),
      signal: disconnected.signal,
      isAllowed: () => isStillSignedIn(request),
    })
    // The feed ends by itself only while it is being read.
    disconnected.signal.addEventListener('abort', () => feed.return())
    // Read before the headers are sent, so that an error becomes an ordinary reply.
    const first = await feed.next()
    const acceptsEvents = request.headers.accept?.includes('text/event-stream') ?? false
    if (!acceptsEvents) disconnected.abort()
    return reply.headers(headers).send(Readable.from(toEvents(first, feed)))
  }

  /** Returns whether the session of the request still exists, in the same account. */
  async function isStillSignedIn(request: LiveRequest): Promise<boolean> {
    const { id, account } = request.session
    const session = await findSession(ctx, db, readSessionToken(config, request) ?? '')
    return session?.id === id && session.account.id === account.id
  }
}

/** Returns the scope of each page with live statistics, by the page's path in the console. */
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

/** Yields a feed in the format of server-sent events. `first` was already read from the feed. */
async function* toEvents(
  first: IteratorResult<LiveStatistics | undefined, void>,
  feed: AsyncGenerator<LiveStatistics | undefined, void>,
): AsyncGenerator<string, void> {
  yield `retry: ${RETRY_MS}\n\n`
  if (first.done) return
  yield toEvent(first.value)
  for await (const statistics of feed) yield toEvent(statistics)
}

/**
 * Formats statistics as an event, and undefined, a heartbeat, as a comment. The event's id is the
 * number of all-time clicks.
 */
function toEvent(statistics: LiveStatistics | undefined): string {
  if (!statistics) return ':\n\n'
  const { clicks, visitors = null } = statistics
  return `id: ${clicks}\ndata: ${JSON.stringify({ clicks, visitors })}\n\n`
}
