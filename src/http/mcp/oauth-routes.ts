import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { type AuthorizationServer, OAUTH_PATH } from '../../identity/oauth/authorization-server.ts'
import { sendErrorBody, toAppError } from '../errors.ts'
import { requireServiceHost } from '../html/not-found.ts'
import { noSniffHeader } from '../response-headers.ts'

const RESOURCE_METADATA = '/.well-known/oauth-protected-resource'
const SERVER_METADATA = '/.well-known/oauth-authorization-server'
/** The maximum number of clients that an address may register an hour. */
const REGISTRATIONS_PER_HOUR = 40
const BODY_LIMIT = 64 * 1024

/**
 * Creates the plugin with the endpoints of OAuth, by which clients get access to the MCP server
 * without a key. The library answers them; this plugin limits how many requests it gets.
 */
export function createOauthPlugin(ctx: HttpContext, server: AuthorizationServer) {
  return async function plugin(app: FastifyInstance): Promise<void> {
    app.addHook('onRequest', requireServiceHost(ctx))
    app.setErrorHandler(sendRejection)
    // The library reads bodies itself.
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', (_request, _body, done) => done(null))
    for (const url of [RESOURCE_METADATA, `${RESOURCE_METADATA}/mcp`]) {
      app.get(url, { schema: { hide: true } }, async (_request, reply) =>
        reply
          .headers({ 'access-control-allow-origin': '*', ...noSniffHeader })
          .send(server.describeResource()),
      )
    }
    for (const url of [SERVER_METADATA, `${OAUTH_PATH}/*`]) {
      app.route({
        method: ['GET', 'POST', 'OPTIONS'],
        url,
        schema: { hide: true },
        bodyLimit: BODY_LIMIT,
        handler,
      })
    }
  }

  async function handler(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    await requireTurn(request)
    const answer = await server.open()
    reply.hijack()
    reply.raw.setHeader('x-content-type-options', 'nosniff')
    await answer(request.raw, reply.raw)
    return reply
  }

  /** @throws AppError `rate_limited`, `busy` */
  async function requireTurn({ method, url, ip }: FastifyRequest): Promise<void> {
    const caller = ctx.hashAddress(ip)
    const isRegistration = method === 'POST' && url.startsWith(`${OAUTH_PATH}/register`)
    const retryAfter = isRegistration
      ? await ctx.rateLimiter.count(`oauth-client:${caller}`, REGISTRATIONS_PER_HOUR, 3600)
      : await ctx.rateLimiter.count(`oauth:${caller}`, 2 * ctx.config.rateLimitPerMinute)
    if (retryAfter !== undefined) throw new AppError('rate_limited', { retryAfter })
    if (isRegistration && (await server.isFull())) throw new AppError('busy')
  }
}

function sendRejection(
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const error = toAppError(thrown, request)
  const body = { error: 'temporarily_unavailable', error_description: error.message }
  return sendErrorBody(reply, error, body)
}
