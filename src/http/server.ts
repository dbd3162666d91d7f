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

/** Limits per client: bytes per request, milliseconds per connection. */
const limits = {
  bodyLimit: 256 * KIB,
  // The base64 of the longest URL (8 KiB) fits in a path of the legacy API, even with every
  // character escaped.
  routerOptions: { maxParamLength: 48 * KIB },
  // Slow senders must not hold connections: ten seconds for the headers, including idle
  // connections, and thirty for the whole request.
  requestTimeout: 30_000,
  // Longer than the 60 s for which proxies keep connections open, so that the proxy closes them. A
  // request sent while this side closes would be lost.
  keepAliveTimeout: 72_000,
  // Disabled because it would also limit handlers. Their statements have shorter timeouts.
  connectionTimeout: 0,
  http: {
    maxHeaderSize: 64 * KIB,
    headersTimeout: 10_000,
    connectionsCheckingInterval: 2000,
    // Node's rejection has no body and no headers. `checkHost` sends ours.
    requireHostHeader: false,
  },
} as const

/** Milliseconds that requests have to finish when the server closes. */
const CLOSE_TIMEOUT_MS = 5000

/** Programs on this machine, such as a proxy missing from the settings, are not limited. */
const LOOPBACK = ['127.0.0.0/8', '::1/128']

/**
 * At module level, because validators keep a reference to it and would otherwise keep the first
 * application alive.
 */
const isText = (value: string) => !value.includes('\0') && value.isWellFormed()

export type ServerOptions = {
  log: Logger
  /** Overrides the connection limits, so that tests need not wait. */
  connections?: Partial<ConnectionLimits>
  /** Compiles schemas, by default when a request first needs one. */
  compilers?: Compilers
}

/** Creates an HTTP server with limits on clients and requests. Routes are added by the caller. */
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
    // Requests rejected before routing, for example because of an invalid escape in the path.
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
  // Expectations other than `100-continue` may be ignored (RFC 9110, section 10.1.1). Node's
  // default reply would have no body.
  app.server.on('checkExpectation', (request, reply) => app.server.emit('request', request, reply))
  endSlowConnections(app)
  return app
}

/** A closing server stops checking timeouts, so a slow client would keep it from ending. */
function endSlowConnections(app: FastifyInstance): void {
  let timer: NodeJS.Timeout | undefined
  app.addHook('preClose', async () => {
    timer = setTimeout(() => app.server.closeAllConnections(), CLOSE_TIMEOUT_MS)
  })
  app.addHook('onClose', async () => clearTimeout(timer))
}
