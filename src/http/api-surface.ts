import cors from '@fastify/cors'
import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../context.ts'
import { createDurations } from '../process/share-metrics.ts'
import { compressReplies } from './compression.ts'
import { createRateHeaders } from './request/auth.ts'
import { preventSniffing } from './response-headers.ts'

/**
 * Sets up the common parts of all APIs: CORS for any origin (callers send a key), rate limit headers
 * for preflight requests, no content sniffing, and the count of replies by status and
 * of their durations. `headers` are further headers of requests.
 */
export async function setUpApiSurface(
  app: FastifyInstance,
  ctx: HttpContext,
  headers: readonly string[] = [],
): Promise<void> {
  const { apiReplies, apiDurations } = ctx.counters
  preventSniffing(app)
  await compressReplies(app)
  app.addHook('onResponse', async ({ method, startedAt }, { statusCode }) => {
    apiReplies.set(statusCode, (apiReplies.get(statusCode) ?? 0) + 1)
    const durations = apiDurations.get(method) ?? createDurations()
    apiDurations.set(method, durations)
    durations.record(performance.now() - startedAt)
  })
  // Preflight requests have no key and change nothing, so they are not counted. Their replies still
  // have the rate limit headers.
  app.addHook('onRequest', async (request, reply) => {
    if (request.method !== 'OPTIONS') return
    const window = await ctx.access.peek(request.ip).catch(() => ctx.access.createUnknownWindow())
    reply.headers(createRateHeaders(window))
  })
  await app.register(cors, {
    origin: '*',
    methods: ['GET', 'POST', 'PUT', 'DELETE'],
    allowedHeaders: ['Authorization', 'Content-Type', 'Idempotency-Key', ...headers],
    exposedHeaders: [
      'X-RateLimit-Limit',
      'X-RateLimit-Remaining',
      'X-RateLimit-Reset',
      'Retry-After',
    ],
    maxAge: 86_400,
    strictPreflight: false,
  })
}
