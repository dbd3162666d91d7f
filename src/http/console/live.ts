import { Readable } from 'node:stream'
import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { ClickScope } from '../../clicks/read.ts'
import type { HttpContext } from '../../context.ts'
import { findSession } from '../../identity/session.service.ts'
import type { LiveStatistics } from '../../live/live.ts'
import { t } from '../../texts.ts'
import { readSessionToken } from '../html/session-cookie.ts'
import { noSniffHeader } from '../response-headers.ts'
import { listStatisticsPages } from './analytics/subject.ts'
import { withScript } from './assets.ts'
import { formFor } from './kit/roles.ts'
import type { ConsoleRequest } from './kit/subject.ts'

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
  for (const { path, findSubject } of listStatisticsPages(ctx)) {
    app.get(`${path}/live`, formFor('viewer'), async (request: ConsoleRequest, reply) =>
      sendFeed(request, reply, async () => (await findSubject(request)).scope),
    )
  }

  async function sendFeed(
    request: ConsoleRequest,
    reply: FastifyReply,
    findScope: () => Promise<ClickScope>,
  ): Promise<FastifyReply> {
    const disconnected = new AbortController()
    reply.raw.once('close', () => disconnected.abort())
    // The browser may have disconnected while its session was read.
    if (reply.raw.closed || request.raw.socket.destroyed) disconnected.abort()
    const feed = live.follow({
      scope: await findScope(),
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
  async function isStillSignedIn(request: ConsoleRequest): Promise<boolean> {
    const { id, account } = request.session
    const session = await findSession(ctx, db, readSessionToken(config, request) ?? '')
    return session?.id === id && session.account.id === account.id
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

/**
 * Renders a note that a page's statistics are live, with the number of visitors in the last five
 * minutes. It is hidden without scripts.
 *
 * `live-clicks.js` follows the feed at `feedUrl`. When the all-time clicks in the feed differ from
 * those on the page, initially `data-live-total`, the script uses `live.js` to refresh every element
 * that has both a `data-live` attribute and an id. The note must not be inside such an element.
 *
 * | attribute | element |
 * |---|---|
 * | `data-live-visitors` | shows the number of visitors, or `–` while it is unknown |
 * | `data-live-state="on"` | shown while the feed is open |
 * | `data-live-state="off"` | shown while the feed is paused |
 */
export function renderLiveNote(feedUrl: string, allTimeClicks: number): SafeHtml {
  return html`<p class="small soft live" id="live-note" data-live-clicks="${feedUrl}"${withScript('live', 'live-clicks')} data-live-total="${allTimeClicks}" hidden>
<span data-live-state="on"><span class="live-dot"></span> ${t('live.live')} · ${t('live.visitors')} <strong data-live-visitors>${t('live.unknown')}</strong></span>
<span data-live-state="off" hidden>${t('live.paused')}</span>
</p>`
}
