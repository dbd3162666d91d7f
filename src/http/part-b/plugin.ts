import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../errors.ts'
import type { Link } from '../../links/link.ts'
import type { Services } from '../../services.ts'
import { createGuard, pathKey } from '../auth.ts'
import { refusalHeaders, toRefusal } from '../errors.ts'
import { createMethodGuard } from '../method-not-allowed.ts'
import { formatOf, type LegacyCall, type LegacyFormat, parsePath } from './grammar.ts'
import {
  type LegacyLink,
  presentCreated,
  presentError,
  presentInfo,
  presentState,
} from './present.ts'
import { renderXml } from './xml.ts'

/** The earlier API under `/api/v1/<key>/shorturl/`: GET calls whose path says everything. */
export function partB(services: Services) {
  const { access, clock, links } = services

  return async function plugin(app: FastifyInstance): Promise<void> {
    const methods = createMethodGuard(app)
    app.addHook('onRequest', createGuard(access, pathKey))
    app.addHook('onSend', async (_request, reply) => {
      reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
    })
    app.setNotFoundHandler(() => {
      throw new AppError('not_found')
    })
    app.setErrorHandler((error, request, reply) => sendLegacyRefusal(error, request, reply))
    app.get('/:key/shorturl/*', { schema: { hide: true } }, async (request, reply) => {
      const call = parsePath(callPath(request))
      return send(request, reply, call.format, 200, await answer(request, call))
    })
    methods.finish()
  }

  async function answer({ account }: FastifyRequest, call: LegacyCall) {
    switch (call.operation) {
      case 'create': {
        const created = await links.create(account.id, {
          url: call.url,
          ...(call.customUrl !== undefined && { custom: call.customUrl }),
          ...(call.password !== undefined && { password: call.password }),
          ...(call.expiryDate !== undefined && { expiry: call.expiryDate }),
          ...(call.baseDomain !== undefined && { domain: call.baseDomain }),
        })
        return presentCreated(toLegacy(await links.get(account.id, created.id)), clock())
      }
      case 'disable':
      case 'enable': {
        const { id } = await find(account.id, call.shortUrl)
        const status = call.operation === 'disable' ? 'disabled' : 'active'
        return presentState(toLegacy(await links.setStatus(account.id, id, status)), clock())
      }
      case 'info':
        return presentInfo(toLegacy(await find(account.id, call.shortUrl)), clock())
      case 'list_active_urls':
        throw new AppError('not_found')
    }
  }

  async function find(accountId: number, shortUrl: string): Promise<Link> {
    const link = await links.findByShortUrl(accountId, shortUrl)
    if (!link) throw new AppError('not_found')
    return link
  }

  function toLegacy(link: Link): LegacyLink {
    return { ...link }
  }
}

/** A refusal in the envelope and the format that the path asked for. */
export function sendLegacyRefusal(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const refusal = toRefusal(error, request.log)
  reply.headers(refusalHeaders(refusal))
  const data = presentError(refusal.message, new Date())
  return send(request, reply, formatOf(callPath(request)), refusal.status, data)
}

function send(
  request: FastifyRequest,
  reply: FastifyReply,
  format: LegacyFormat,
  code: number,
  data: Record<string, string | number | boolean>,
): FastifyReply {
  reply.code(code)
  if (format === 'json') return reply.type('application/json; charset=utf-8').send({ code, data })
  const time = Math.floor(Date.now() / 1000)
  return reply
    .type('text/xml; charset=utf-8')
    .send(renderXml({ client: request.ip, time, code, data }))
}

/** What stands after `/api/v1/<key>/shorturl/`, as it came, without the query. */
function callPath(request: FastifyRequest): string {
  const path = (request.raw.url ?? '').split('?', 1)[0] ?? ''
  return path.replace(/^\/+api\/v1\/[^/]*\/shorturl\//, '')
}
