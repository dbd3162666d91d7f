import type { FastifyRequest, FastifyServerOptions } from 'fastify'
import type { Config } from '../config.ts'

/**
 * One line of JSON for what goes wrong, and one a request at debug level. Neither holds a key, a
 * password or a visitor's address: the earlier API's key and parameters stand in the path, so that
 * path is masked, and query strings are left out.
 */
export function loggerOptions(config: Config): FastifyServerOptions {
  return {
    logger: {
      level: config.logLevel,
      serializers: {
        req: (request: FastifyRequest) => ({
          method: request.method,
          path: maskPath(request.raw?.url ?? request.url),
        }),
        res: (reply) => ({ status: reply.statusCode }),
      },
    },
    disableRequestLogging: config.logLevel !== 'debug' && config.logLevel !== 'trace',
  }
}

/** A path without its query and, under the earlier API, without everything that a client put there. */
export function maskPath(url: string): string {
  const path = url.split('?', 1)[0] ?? ''
  return /^\/*api\/+v1(\/|$)/i.test(path) ? '/api/v1/…' : path.slice(0, 256)
}
