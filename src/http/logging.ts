import {
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  LogController,
} from 'fastify'
import { type Logger, pino } from 'pino'
import type { Config } from '../config.ts'

/** The destination of log lines. */
export type LogStream = { write(line: string): void }

/**
 * Creates the log: JSON lines at `logLevel`. Keys, passwords and visitors' IP addresses are never
 * logged: query strings are omitted, and paths that may contain secrets are masked.
 */
export function createHttpLog({ logLevel }: Pick<Config, 'logLevel'>, stream?: LogStream): Logger {
  return pino({ level: logLevel }, stream)
}

/**
 * Returns Fastify's logging options. Unless every request is logged, Fastify gets no logger: with
 * one, it listens for the end of each reply, which makes redirects about 5% slower. Routes still
 * have a logger: that of the process, because creating one per request would take longer than a
 * redirect.
 */
export function logOptions(
  log: Logger,
  { accessLog }: Pick<Config, 'accessLog'>,
): Pick<FastifyServerOptions, 'loggerInstance' | 'logger' | 'childLoggerFactory'> & {
  logController: RequestLog
} {
  const logsRequests = accessLog || log.isLevelEnabled('debug')
  return {
    ...(logsRequests ? { loggerInstance: log } : { logger: false }),
    logController: new RequestLog(log, logsRequests),
    childLoggerFactory: () => log,
  }
}

/**
 * Logs requests after their replies, if `logsRequests` is set, and errors that no error handler
 * receives.
 */
class RequestLog extends LogController {
  readonly #log: Logger

  constructor(log: Logger, logsRequests: boolean) {
    super({ disableRequestLogging: !logsRequests })
    this.#log = log
  }

  override incomingRequest(): void {}

  override requestCompleted(_error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    // All requests share one logger, which does not know the level of a route.
    if (this.isLogDisabled(request) || request.routeOptions.logLevel === 'silent') return
    const path = this.#log.isLevelEnabled('debug') && { path: maskPath(request.raw.url ?? '') }
    this.#log.info({ ...describeRequest(request, reply.statusCode), ...path }, 'request completed')
  }

  /** Logs a request that Node's parser has rejected. Its method and route are unknown. */
  requestRejected(fields: { requestId: string; status: number; reason?: string }): void {
    if (this.disableRequestLogging !== true) this.#log.info(fields, 'malformed request rejected')
  }

  override defaultErrorLog(error: Error, request: FastifyRequest, reply: FastifyReply): void {
    if (reply.statusCode < 500) return
    this.#log.error({ ...describeRequest(request, reply.statusCode), err: error }, REQUEST_FAILED)
  }

  override streamError(
    error: Error & { code?: string },
    request: FastifyRequest,
    reply: FastifyReply,
  ): void {
    // The client disconnected.
    if (error.code === 'ERR_STREAM_PREMATURE_CLOSE') return
    const facts = describeRequest(request, reply.statusCode)
    this.#log.error({ ...facts, err: error }, 'an error cut off a reply')
  }
}

export const REQUEST_FAILED = 'a request failed'

/**
 * Returns what log lines say about a request. The route is the pattern of its path, because paths
 * may contain keys. It is null if no route matches.
 */
export function describeRequest(request: FastifyRequest, status: number) {
  const { id, method, routeOptions, startedAt } = request
  const durationMs = Math.round((performance.now() - startedAt) * 10) / 10
  return { requestId: id, method, route: routeOptions.url ?? null, status, durationMs }
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
