import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { HttpContext } from '../context.ts'
import { type Compilers, compilersFactory } from './compilers.ts'
import { type ConnectionLimits, limitConnections } from './connections.ts'
import { logOptions } from './logging.ts'
import { createClientErrorHandler } from './malformed.ts'
import { addressesIn } from './request/address-ranges.ts'
import { readTarget } from './request/request-line.ts'
import { refuseUnrouted } from './unrouted.ts'

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

/** Out here, since the validators keep it: in `buildApp` they would keep the first services as well. */
const isText = (value: string) => !value.includes('\0') && value.isWellFormed()

export type ServerOptions = {
  log: Logger
  /** Tests are not to wait as long as clients may. */
  connections?: Partial<ConnectionLimits>
  /** What makes functions of schemas, by default each when a request first needs it. */
  compilers?: Compilers
}

/** An HTTP server with its limits, of clients and of what they send, to which routes can be added. */
export function createServer(
  ctx: HttpContext,
  { log, connections = {}, compilers = compilersFactory }: ServerOptions,
): FastifyInstance {
  const { access, config } = ctx
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
    // Requests that never reach a route, for instance with a broken escape in the path.
    frameworkErrors: (error, request, reply) => {
      void refuseUnrouted(ctx, error, request as FastifyRequest, reply as FastifyReply)
    },
    clientErrorHandler: createClientErrorHandler(access),
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
