import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { onceAMinute } from '../concurrency/once-a-minute.ts'
import type { HttpContext } from '../context.ts'
import { listServiceHosts } from '../domains/service-hosts.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Logs, at most once a minute, that a page was requested for a host that is not served. */
    reportUnknownHost: (request: FastifyRequest) => void
  }
}

const MAX_LOGGED_HOST = 255

/**
 * Adds `reportUnknownHost` to the application. Without the log line, a proxy that sends another
 * `Host` header would look as if all links were missing.
 */
export function decorateUnknownHosts(
  app: FastifyInstance,
  { config }: Pick<HttpContext, 'config'>,
  log: Pick<Logger, 'warn'>,
): void {
  const expected = listServiceHosts(config)
  app.decorate(
    'reportUnknownHost',
    onceAMinute(({ headers }: FastifyRequest) =>
      log.warn(
        { host: (headers.host ?? '').slice(0, MAX_LOGGED_HOST), expected },
        'a page was requested for a host that is neither expected nor a branded domain; ' +
          'check BASE_URL and the Host header of the proxy (docs/own-domain.md)',
      ),
    ),
  )
}
