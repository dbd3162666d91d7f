import { type FastifyRequest, type FastifyServerOptions, LogController } from 'fastify'
import { type Logger, pino } from 'pino'
import type { Config } from '../config.ts'

/** The destination of log lines. */
export type LogStream = { write(line: string): void }

/**
 * Creates the log: JSON lines at `logLevel`, and one line per request at debug level. Keys,
 * passwords and visitors' IP addresses are never logged: query strings are omitted, and paths that
 * may contain secrets are masked.
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
 * Returns Fastify's logging options. Unless every request is logged, Fastify gets no logger: with
 * one, it listens for the end of each reply, which makes redirects about 5% slower. Routes still
 * have a logger.
 */
export function logOptions(
  log: Logger,
): Pick<
  FastifyServerOptions,
  'loggerInstance' | 'logger' | 'logController' | 'childLoggerFactory'
> {
  const childLoggerFactory: FastifyServerOptions['childLoggerFactory'] = (
    _logger,
    bindings,
    options,
  ) => log.child(bindings, options)
  if (log.isLevelEnabled('debug')) return { loggerInstance: log, childLoggerFactory }
  const logController = new LogController({ disableRequestLogging: true })
  return { logger: false, logController, childLoggerFactory }
}

/**
 * Returns a path for the log: without its query and at most 256 characters long. Masks paths that
 * contain a key or token. Also masks all paths that resemble those of the legacy API, which contain
 * the key, because a client may use a wrong base URL.
 */
export function maskPath(url: string): string {
  const path = url.split('?', 1)[0] ?? ''
  if (/^\/+api\/+v1(\/|$)/i.test(path)) return '/api/v1/…'
  return containsSecret(path) ? '/…' : path.slice(0, 256)
}

/** A path that still changes after this many rounds of decoding is masked. */
const MAX_ROUNDS = 32

/**
 * Returns whether a path contains a key, a legacy call or a token, no matter how often its characters
 * are escaped.
 */
function containsSecret(path: string): boolean {
  let text = path
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    if (/\/(v1|shorturl|reset-password|invitations|unsubscribe|shared)(\/|$)|brv_/i.test(text))
      return true
    // `%252525…` is a percent sign that was escaped repeatedly. One round decodes it completely.
    const decoded = decodeAscii(text.replace(/%(?:25)+/g, '%'))
    if (decoded === text) return false
    text = decoded
  }
  return true
}

/** Decodes escaped ASCII characters once, as the router does before matching. */
export function decodeAscii(path: string): string {
  return path.replace(/%([0-7][0-9a-f])/gi, (_escape, code) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )
}
