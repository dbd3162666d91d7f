import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import type { Logger } from 'pino'
import { onceAMinute } from '../concurrency/memo.ts'
import type { HttpContext } from '../context.ts'
import { listServiceHosts } from '../domains/service-hosts.ts'
import { isStorable } from '../text.ts'
import { sendError } from './api/api-app.ts'
import { type Compilers, compilersFactory } from './compilers.ts'
import { type ConnectionLimits, limitConnections } from './connections.ts'
import { sendErrorPage } from './html/error-page.ts'
import { sendLegacyError } from './legacy-api/reply.ts'
import { decodeAscii, logOptions } from './logging.ts'
import { createClientErrorHandler } from './malformed.ts'
import { createRangeMatcher } from './request/address-ranges.ts'
import { checkAccess, readBearerKey, readPathKey } from './request/auth.ts'
import { createProxyReader, decorateReportedCountry } from './request/client-facts.ts'
import { createRequestIdReader, identifyReply, identifyRequests } from './request/request-id.ts'
import { readRequestTarget } from './request/request-line.ts'
import { noSniffHeader } from './response-headers.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Logs, at most once a minute, that a page was requested for a host that is not served. */
    reportUnknownHost: (request: FastifyRequest) => void
  }
}

const MAX_LOGGED_HOST = 255

const KIB = 1024

/** Sizes are in bytes, times in milliseconds. */
const limits = {
  bodyLimit: 256 * KIB,
  // Fits the longest URL (8 KiB) in base64 with every character escaped, as a path of the legacy
  // API may contain it.
  routerOptions: { maxParamLength: 48 * KIB },
  // Slow senders must not occupy connections. `headersTimeout` below also closes idle connections.
  requestTimeout: 30_000,
  // Proxies keep connections open for 60 s. The proxy must be the one that closes them, because a
  // request that it sends while the server closes the connection is lost.
  keepAliveTimeout: 72_000,
  // Disabled because it would also limit handlers, whose database statements have timeouts.
  connectionTimeout: 0,
  http: {
    maxHeaderSize: 64 * KIB,
    headersTimeout: 10_000,
    connectionsCheckingInterval: 2000,
    // Node would reject these requests without a body. `checkHost` does so with the API's envelope.
    requireHostHeader: false,
  },
} as const

/** When the server closes, requests have this long to finish. */
const CLOSE_TIMEOUT_MS = 5000

/** Not limited, because a proxy on this machine may be missing from the settings. */
const LOOPBACK = ['127.0.0.0/8', '::1/128']

export type ServerOptions = {
  log: Logger
  /** Overrides the connection limits in tests. */
  connections?: Partial<ConnectionLimits>
  /** Compiles the route schemas. By default, each is compiled when a request first needs it. */
  compilers?: Compilers
}

/** Creates an HTTP server that limits clients and requests. The caller adds the routes. */
export function createServer(
  ctx: HttpContext,
  { log, connections = {}, compilers = compilersFactory }: ServerOptions,
): FastifyInstance {
  const { access, config } = ctx
  const readProxyHeaders = createProxyReader(config, log)
  const { logController, ...logging } = logOptions(log, config)
  const app = fastify({
    ...logging,
    logController,
    genReqId: createRequestIdReader(config),
    trustProxy: config.trustProxy.length > 0 && createRangeMatcher(config.trustProxy),
    ...limits,
    // Requests that arrive while the server closes are still served.
    return503OnClosing: false,
    exposeHeadRoutes: false,
    rewriteUrl:
      config.trustProxy.length === 0
        ? readRequestTarget
        : (request) => {
            const target = readRequestTarget(request)
            readProxyHeaders(request)
            return target
          },
    ajv: {
      customOptions: { coerceTypes: false, removeAdditional: false, allErrors: false },
      onCreate: (ajv) => {
        ajv.addFormat('text', isStorable)
      },
    },
    schemaController: { compilersFactory: compilers },
    // Handles requests that fail before routing, for example because of an invalid escape.
    frameworkErrors: (error, request, reply) => {
      const unrouted = [request as FastifyRequest, reply as FastifyReply] as const
      identifyReply(...unrouted)
      reply.raw.once('finish', () => logController.requestCompleted(undefined, ...unrouted))
      void rejectUnrouted(ctx, error, ...unrouted)
    },
    clientErrorHandler: createClientErrorHandler(access, (fields) =>
      logController.requestRejected(fields),
    ),
  })
  const stopChecking = limitConnections(app.server, log, {
    perAddress: config.connectionsPerAddress,
    isShared: createRangeMatcher([...config.trustProxy, ...LOOPBACK]),
    counts: ctx.counters.connections,
    ...connections,
  })
  app.addHook('onClose', async () => stopChecking())
  identifyRequests(app)
  decorateReportedCountry(app, config)
  decorateUnknownHosts(app, ctx, log)
  // Expectations other than `100-continue` may be ignored (RFC 9110, section 10.1.1). Node's
  // default reply would have no body.
  app.server.on('checkExpectation', (request, reply) => app.server.emit('request', request, reply))
  closeSlowConnections(app)
  return app
}

/** Closes slow connections on shutdown, because a closing server no longer checks timeouts. */
function closeSlowConnections(app: FastifyInstance): void {
  let timer: NodeJS.Timeout | undefined
  app.addHook('preClose', async () => {
    timer = setTimeout(() => app.server.closeAllConnections(), CLOSE_TIMEOUT_MS)
  })
  app.addHook('onClose', async () => clearTimeout(timer))
}

/**
 * Adds `reportUnknownHost` to the application. Without the log line, a proxy that sends another
 * `Host` header would look as if all links were missing.
 */
function decorateUnknownHosts(
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

/** Rejects a request that failed before routing. Its path decides whether it gets an API error or a page. */
async function rejectUnrouted(
  ctx: HttpContext,
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  // The router decodes paths too, so an escaped letter must not change the format of the reply.
  const path = decodeAscii(request.raw.url ?? '')
  if (!isApiPath(path)) return sendErrorPage(ctx, error, request, reply)
  reply.headers({ 'access-control-allow-origin': '*', ...noSniffHeader })
  const isLegacy = isLegacyPath(path)
  const send = (rejection: unknown) =>
    isLegacy
      ? sendLegacyError(ctx, rejection, request, reply)
      : sendError(rejection, request, reply)
  try {
    const key = isLegacy ? readPathKey(request) : readBearerKey(request)
    await checkAccess(ctx.access, key, request, reply)
    return send(error)
  } catch (rejection) {
    return send(rejection)
  }
}

function isApiPath(url: string): boolean {
  return /^\/api(?:[/?]|$)/.test(url)
}

function isLegacyPath(url: string): boolean {
  return /^\/api\/v1\//.test(url)
}
