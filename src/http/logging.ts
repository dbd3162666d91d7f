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
 * Returns a path without its query. Nothing that the client wrote is left of a path that belongs to the
 * legacy API, or looks like it: a client may have the wrong base URL.
 */
export function maskPath(url: string): string {
  const path = url.split('?', 1)[0] ?? ''
  if (/^\/+api\/+v1(\/|$)/i.test(path)) return '/api/v1/…'
  return holdsSecrets(path) ? '/…' : path.slice(0, 256)
}

/** Rounds of decoding after which a path that still changes counts as secret. */
const MAX_ROUNDS = 32

/** Whether a path has a key, a legacy call or the token of a reset link in it, however many times its characters are escaped. */
function holdsSecrets(path: string): boolean {
  let text = path
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    if (/\/(v1|shorturl|reset-password)(\/|$)|brv_/i.test(text)) return true
    // `%252525…` is a percent sign that was escaped again and again: one round for all of them.
    const decoded = decodeAscii(text.replace(/%(?:25)+/g, '%'))
    if (decoded === text) return false
    text = decoded
  }
  return true
}

/** Decodes the escapes of ASCII characters once, as the router does before it matches. */
export function decodeAscii(path: string): string {
  return path.replace(/%([0-7][0-9a-f])/gi, (_escape, code) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )
}
