import cors from '@fastify/cors'
import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import type { Services } from '../services.ts'
import { bearerKey, checkAccess, pathKey, rateHeaders } from './auth.ts'
import { documentation } from './documentation.ts'
import { health } from './health.ts'
import { type LogStream, loggerOptions } from './logging.ts'
import { createClientErrorHandler } from './malformed.ts'
import { createMetrics, metricsRoute } from './metrics.ts'
import { partA, sendRefusal } from './part-a/plugin.ts'
import { partB } from './part-b/plugin.ts'
import { sendLegacyRefusal } from './part-b/reply.ts'
import { visitorPages } from './visit/plugin.ts'
import { sendPageRefusal } from './visit/refusal.ts'

const KIB = 1024

/** The whole HTTP surface over the services. Listen on it, or inject requests. Logs to stdout by default. */
export async function buildApp(
  services: Services,
  { logTo }: { logTo?: LogStream } = {},
): Promise<FastifyInstance> {
  const { access, config } = services
  const app = fastify({
    ...loggerOptions(config, logTo),
    trustProxy: config.trustProxy.length > 0 ? [...config.trustProxy] : false,
    bodyLimit: 256 * KIB,
    requestTimeout: 30_000,
    connectionTimeout: 0,
    keepAliveTimeout: 72_000,
    http: { maxHeaderSize: 64 * KIB },
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: 48 * KIB },
    // Old integrations join a base address that ends in a slash with a path that begins with one.
    rewriteUrl: ({ url = '/' }) => (url.startsWith('//api/') ? url.slice(1) : url),
    ajv: {
      customOptions: { coerceTypes: false, removeAdditional: false, allErrors: false },
      onCreate: (ajv) => {
        ajv.addFormat('text', (value: string) => !value.includes('\0') && value.isWellFormed())
      },
    },
    clientErrorHandler: createClientErrorHandler(access),
    // Requests that never reach a route, for instance with a broken escape in the path.
    frameworkErrors: (error, request, reply) => {
      void refuseUnrouted(services, error, request as FastifyRequest, reply as FastifyReply)
    },
  })
  const metrics = createMetrics(services)

  await documentation(app)
  await app.register(health(services))
  await app.register(metricsRoute(metrics))
  await app.register(api(services), { prefix: '/api' })
  await app.register(visitorPages(services))
  return app
}

function api(services: Services) {
  return async function plugin(app: FastifyInstance): Promise<void> {
    const { apiReplies } = services.tally
    app.addHook('onResponse', async (_request, { statusCode }) => {
      apiReplies.set(statusCode, (apiReplies.get(statusCode) ?? 0) + 1)
    })
    // A preflight carries no key and does nothing, so it is not counted, but told how things stand.
    app.addHook('onRequest', async (request, reply) => {
      if (request.method !== 'OPTIONS') return
      const window = await services.access.peek(request.ip).catch(() => services.access.unknown())
      reply.headers(rateHeaders(window))
    })
    await app.register(cors, {
      origin: '*',
      methods: ['GET', 'POST', 'PUT', 'DELETE'],
      allowedHeaders: ['Authorization', 'Content-Type', 'Idempotency-Key'],
      exposedHeaders: [
        'X-RateLimit-Limit',
        'X-RateLimit-Remaining',
        'X-RateLimit-Reset',
        'Retry-After',
      ],
      maxAge: 86_400,
      strictPreflight: false,
    })
    await app.register(partB(services), { prefix: '/v1' })
    await app.register(partA(services))
  }
}

async function refuseUnrouted(
  services: Services,
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { url } = request.raw
  if (!isApiPath(url)) return sendPageRefusal(services, error, request, reply)
  reply.header('access-control-allow-origin', '*')
  const isLegacy = isLegacyPath(url)
  const send = (refusal: unknown) =>
    isLegacy
      ? sendLegacyRefusal(services, refusal, request, reply)
      : sendRefusal(refusal, request, reply)
  try {
    const key = isLegacy ? pathKey(request) : bearerKey(request)
    await checkAccess(services.access, key, request, reply)
    return send(error)
  } catch (refusal) {
    return send(refusal)
  }
}

function isApiPath(url = ''): boolean {
  return /^\/api(?:[/?]|$)/.test(url)
}

function isLegacyPath(url = ''): boolean {
  return /^\/api\/v1\//.test(url)
}
