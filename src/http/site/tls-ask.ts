import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../context.ts'
import { sendErrorPage } from '../html/error-page.ts'
import { sendNotFound } from '../html/not-found.ts'
import { createRangeMatcher } from '../request/address-ranges.ts'
import { preventSniffing } from '../response-headers.ts'
import { isForwarded } from './metrics.ts'

type Query = { domain?: unknown; host?: unknown }

const LOOPBACK = ['127.0.0.0/8', '::1/128']

/**
 * Creates the plugin that tells a proxy whether to request a certificate for a name. Caddy sends
 * `?domain=` (https://caddyserver.com/docs/caddyfile/options#on-demand-tls), kamal-proxy `?host=`.
 * Forwarded requests and clients other than proxies receive 404, because the response reveals which
 * domains are registered.
 */
export function createTlsAskRoute(ctx: HttpContext) {
  const { config, hosts } = ctx
  const isProxy = createRangeMatcher([...LOOPBACK, ...config.trustProxy])

  return async function plugin(app: FastifyInstance): Promise<void> {
    preventSniffing(app)
    app.setErrorHandler((error, request, reply) => sendErrorPage(ctx, error, request, reply))
    // Not logged, because it is requested for every new name in a TLS handshake.
    const options = { schema: { hide: true }, logLevel: 'silent' } as const
    app.get<{ Querystring: Query }>('/internal/tls-ask', options, async (request, reply) => {
      if (!isPermitted(request)) {
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

  function isPermitted({ headers, socket }: FastifyRequest): boolean {
    return isProxy(socket.remoteAddress ?? '') && !isForwarded(headers)
  }
}
