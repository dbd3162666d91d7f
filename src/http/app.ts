import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import type { Logger } from 'pino'
import type { Services } from '../services.ts'
import { jsonApi, sendError } from './api/plugin.ts'
import { apiSurface } from './api-surface.ts'
import { type Compilers, compilersFactory } from './compilers.ts'
import { type ConnectionLimits, limitConnections } from './connections.ts'
import { documentation } from './documentation.ts'
import { sendErrorPage } from './html/error-page.ts'
import { legacyApi } from './legacy-api/plugin.ts'
import { sendLegacyError } from './legacy-api/reply.ts'
import { createHttpLog, decodeAscii, logOptions } from './logging.ts'
import { createClientErrorHandler } from './malformed.ts'
import { noSniffHeader } from './no-sniffing.ts'
import { addressesIn } from './request/address-ranges.ts'
import { bearerKey, checkAccess, pathKey } from './request/auth.ts'
import { readTarget } from './request/request-line.ts'
import { docsRoutes } from './site/docs.ts'
import { health } from './site/health.ts'
import { createInstallationMetrics } from './site/installation-metrics.ts'
import { createMetrics, metricsRoute, type ShareMetrics } from './site/metrics.ts'
import { tlsAskRoute } from './site/tls-ask.ts'
import { visitorPages } from './visitor-pages.ts'
import { yourlsApi } from './yourls-api/plugin.ts'

const KIB = 1024

/** What one client may take of a process: bytes by request, seconds by connection. */
const limits = {
  bodyLimit: 256 * KIB,
  // The base64 of the longest URL, 8 KiB, fits a path of the legacy API with every character escaped.
  routerOptions: { maxParamLength: 48 * KIB },
  // Whoever sends slowly, to hold connections that others need, has ten seconds for the headers, also
  // when nothing comes at all, and thirty for the whole of the request.
  requestTimeout: 30_000,
  // Longer than the 60 s for which proxies keep connections, so that it is they who close them: what
  // they send at the moment that we close would be lost.
  keepAliveTimeout: 72_000,
  // Would run on while a handler works, whose statements have their own and shorter limits.
  connectionTimeout: 0,
  http: {
    maxHeaderSize: 64 * KIB,
    headersTimeout: 10_000,
    connectionsCheckingInterval: 2000,
    // Node's own rejection has neither body nor headers; `checkHost` sends ours.
    requireHostHeader: false,
  },
} as const

/** Milliseconds that requests have to end when the server closes. */
const CLOSE_WITHIN = 5000

/** Programs of this machine, among them a proxy that nobody named, could do worse than connect. */
const LOOPBACK = ['127.0.0.0/8', '::1/128']

type Options = {
  log?: Logger
  /** Makes the function that collects what all processes count; without it this one is alone. */
  shareMetrics?: ShareMetrics
  /** Tests are not to wait as long as clients may. */
  connections?: Partial<ConnectionLimits>
  /** What makes functions of schemas, by default each when a request first needs it. */
  compilers?: Compilers
}

/** Out here, since the validators keep it: in `buildApp` they would keep the first services as well. */
const isText = (value: string) => !value.includes('\0') && value.isWellFormed()

const alone: ShareMetrics = (read) => async () => [await read()]

/** The whole HTTP surface over the services. Listen on it, or inject requests. */
export async function buildApp(
  services: Services,
  {
    log = createHttpLog(services.config),
    shareMetrics = alone,
    connections = {},
    compilers = compilersFactory,
  }: Options = {},
): Promise<FastifyInstance> {
  const { access, config } = services
  const app = fastify({
    ...logOptions(log),
    trustProxy: config.trustProxy.length > 0 && addressesIn(config.trustProxy),
    ...limits,
    exposeHeadRoutes: false,
    rewriteUrl: readTarget,
    ajv: {
      customOptions: { coerceTypes: false, removeAdditional: false, allErrors: false },
      onCreate: (ajv) => {
        ajv.addFormat('text', isText)
      },
    },
    schemaController: { compilersFactory: compilers },
    clientErrorHandler: createClientErrorHandler(access),
    // Requests that never reach a route, for instance with a broken escape in the path.
    frameworkErrors: (error, request, reply) => {
      void refuseUnrouted(services, error, request as FastifyRequest, reply as FastifyReply)
    },
  })
  const stopLooking = limitConnections(app.server, log, {
    perAddress: config.connectionsPerAddress,
    isShared: addressesIn([...config.trustProxy, ...LOOPBACK]),
    ...connections,
  })
  app.addHook('onClose', async () => stopLooking())
  // What a client expects beyond `100-continue` may be passed over (RFC 9110, section 10.1.1); Node
  // would answer without a body and without asking us.
  app.server.on('checkExpectation', (request, reply) => app.server.emit('request', request, reply))
  endSlowConnections(app)
  const metrics = createMetrics(services)
  const collectCounts = shareMetrics(() => metrics.getMetricsAsJSON())
  const installation = createInstallationMetrics(services)
  const collectMetrics = async () => [...(await collectCounts()), await installation()]

  await documentation(app)
  await app.register(docsRoutes(services))
  await app.register(health(services))
  await app.register(metricsRoute(services, collectMetrics))
  await app.register(tlsAskRoute(services))
  await app.register(api(services), { prefix: '/api' })
  if (config.yourlsApi) await app.register(yourlsApi(services), { prefix: '/yourls-api.php' })
  await app.register(visitorPages(services, { log, collectMetrics }))
  return app
}

/** A server that closes looks at no timeouts any more, so a slow client would keep it from ending. */
function endSlowConnections(app: FastifyInstance): void {
  let timer: NodeJS.Timeout | undefined
  app.addHook('preClose', async () => {
    timer = setTimeout(() => app.server.closeAllConnections(), CLOSE_WITHIN)
  })
  app.addHook('onClose', async () => clearTimeout(timer))
}

function api(services: Services) {
  return async function plugin(app: FastifyInstance): Promise<void> {
    await apiSurface(app, services)
    await app.register(legacyApi(services), { prefix: '/v1' })
    await app.register(jsonApi(services))
  }
}

async function refuseUnrouted(
  services: Services,
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  // As the router does, so that an escaped letter does not lead to the other kind of rejection.
  const path = decodeAscii(request.raw.url ?? '')
  if (!isApiPath(path)) return sendErrorPage(services, error, request, reply)
  reply.headers({ 'access-control-allow-origin': '*', ...noSniffHeader })
  const isLegacy = isLegacyPath(path)
  const send = (rejection: unknown) =>
    isLegacy
      ? sendLegacyError(services, rejection, request, reply)
      : sendError(rejection, request, reply)
  try {
    const key = isLegacy ? pathKey(request) : bearerKey(request)
    await checkAccess(services.access, key, request, reply)
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
