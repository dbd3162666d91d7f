import { type FastifyRequest, type FastifyServerOptions, LogController } from 'fastify'
import { type Logger, pino } from 'pino'
import type { Config } from '../config.ts'

/** Where log lines go. */
export type LogStream = { write(line: string): void }

/**
 * One line of JSON for what goes wrong, and one a request at debug level. Neither holds a key, a
 * password or a visitor's address: the legacy API's key and parameters stand in the path, so that
 * path is masked, and query strings are left out.
 */
export function createHttpLog({ logLevel }: Pick<Config, 'logLevel'>, stream?: LogStream): Logger {
  const serializers = {
    req: (request: FastifyRequest) => ({
      method: request.method,
      path: maskPath(request.raw?.url ?? request.url),
    }),
    res: (reply: { statusCode: number }) => ({ status: reply.statusCode }),
  }
  return pino({ level: logLevel, serializers }, stream)
}

/**
 * Fastify's side of the log. Where not every request is logged it is given no logger, since it then
 * listens for the end of each reply, a twentieth of a redirect's time. Routes have theirs either way.
 */
export function logOptions(
  log: Logger,
): Pick<
  FastifyServerOptions,
  'loggerInstance' | 'logger' | 'logController' | 'childLoggerFactory'
> {
  const childLoggerFactory: FastifyServerOptions['childLoggerFactory'] = (
    _none,
    bindings,
    options,
  ) => log.child(bindings, options)
  if (log.isLevelEnabled('debug')) return { loggerInstance: log, childLoggerFactory }
  const logController = new LogController({ disableRequestLogging: true })
  return { logger: false, logController, childLoggerFactory }
}

/**
 * A path without its query. Where it belongs to the legacy API nothing is left of what the client put
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
