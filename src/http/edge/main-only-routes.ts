import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { sendNotFound } from '../html/not-found.ts'
import { noSniffHeader } from '../response-headers.ts'

// The first path segments of the routes that only the main installation serves.
const APIS = ['api', 'yourls-api.php', 'mcp', 'oauth', 'openapi.json']
const PAGES = ['console', 'docs', 'register', 'shared']

/**
 * Creates the plugin that responds to requests for the APIs, the console and other pages of the main
 * installation with its URL. On branded domains it responds with 404.
 */
export function createMainOnlyRoutes({ hosts, counters, config }: HttpContext) {
  return async function plugin(app: FastifyInstance): Promise<void> {
    const { message, status } = new AppError('not_on_edge')
    const text = `${message} ${config.main?.url}`

    for (const name of [...APIS, ...PAGES]) {
      for (const url of [`/${name}`, `/${name}/*`])
        app.all(url, { schema: { hide: true } }, sendMainUrl)
    }

    async function sendMainUrl(
      request: FastifyRequest,
      reply: FastifyReply,
    ): Promise<FastifyReply> {
      const { host: hostHeader = '' } = request.headers
      const host = await hosts.resolve(hostHeader)
      // A branded domain does not reveal the installation behind it.
      if (host.kind !== 'service' && !hosts.isMachine(hostHeader)) {
        return sendNotFound({ counters }, reply, host)
      }
      reply.code(status).headers({ 'cache-control': 'no-store', ...noSniffHeader })
      const isPage = PAGES.some((name) => request.url.startsWith(`/${name}`))
      return isPage
        ? reply.type('text/plain; charset=utf-8').send(`${text}\n`)
        : reply.type('application/json; charset=utf-8').send({ error: 1, message: text })
    }
  }
}
