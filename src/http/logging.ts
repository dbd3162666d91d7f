import { type FastifyRequest, type FastifyServerOptions, LogController } from 'fastify'
import type { Config } from '../config.ts'

/** Where log lines go. */
export type LogStream = { write(line: string): void }

/**
 * One line of JSON for what goes wrong, and one a request at debug level. Neither holds a key, a
 * password or a visitor's address: the earlier API's key and parameters stand in the path, so that
 * path is masked, and query strings are left out.
 */
export function loggerOptions(config: Config, stream?: LogStream): FastifyServerOptions {
  return {
    logger: {
      level: config.logLevel,
      ...(stream && { stream }),
      serializers: {
        req: (request: FastifyRequest) => ({
          method: request.method,
          path: maskPath(request.raw?.url ?? request.url),
        }),
        res: (reply) => ({ status: reply.statusCode }),
      },
    },
    logController: new LogController({
      disableRequestLogging: config.logLevel !== 'debug' && config.logLevel !== 'trace',
    }),
  }
}

/**
 * A path without its query. Where it belongs to the earlier API nothing is left of what the client put
 * there; that is also so where it only looks like it, for a client may have the wrong base address.
 */
export function maskPath(url: string): string {
  const path = url.split('?', 1)[0] ?? ''
  if (/^\/+api\/+v1(\/|$)/i.test(path)) return '/api/v1/…'
  return holdsSecrets(decodeAscii(path)) ? '/…' : path.slice(0, 256)
}

function holdsSecrets(path: string): boolean {
  return /\/(v1|shorturl)(\/|$)|brv_/i.test(path)
}

/** The router decodes before it matches, so an escaped letter does not make it another path. */
export function decodeAscii(path: string): string {
  return path.replace(/%([0-7][0-9a-f])/gi, (_escape, code) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )
}
