import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../context.ts'
import { sendErrorPage } from '../html/error-page.ts'
import { sendNotFound } from '../html/not-found.ts'
import { noSniffing } from '../no-sniffing.ts'
import { addressesIn } from '../request/address-ranges.ts'
import { isForwarded } from '../request/forwarded.ts'

type Query = { domain?: unknown; host?: unknown }

const LOOPBACK = ['127.0.0.0/8', '::1/128']

/**
 * What a proxy asks before it has a certificate made for a name: Caddy as `?domain=`
 * (https://caddyserver.com/docs/caddyfile/options#on-demand-tls), kamal-proxy as `?host=`. To anybody
 * but a proxy, and to what a proxy hands on, it is a path that is not there: it would tell whose
 * domains these are.
 */
export function tlsAskRoute(ctx: HttpContext) {
  const { config, hosts } = ctx
  const isProxy = addressesIn([...LOOPBACK, ...config.trustProxy])

  return async function plugin(app: FastifyInstance): Promise<void> {
    noSniffing(app)
    app.setErrorHandler((error, request, reply) => sendErrorPage(ctx, error, request, reply))
    // Asked at every handshake with a name that is new to the proxy, so there is no line for it.
    const options = { schema: { hide: true }, logLevel: 'silent' } as const
    app.get<{ Querystring: Query }>('/internal/tls-ask', options, async (request, reply) => {
      if (!mayAsk(request)) {
        return sendNotFound(ctx, reply, await hosts.resolve(request.headers.host ?? ''))
      }
      const { domain, host = domain } = request.query
      const isKnown = typeof host === 'string' && (await hosts.mayHaveCertificate(host))
      return reply
        .code(isKnown ? 200 : 404)
        .header('cache-control', 'no-store')
        .type('text/plain; charset=utf-8')
        .send(isKnown ? 'yes\n' : 'no\n')
    })
  }

  function mayAsk({ headers, socket }: FastifyRequest): boolean {
    return isProxy(socket.remoteAddress ?? '') && !isForwarded(headers)
  }
}
