import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { setUpApiSurface } from '../api-surface.ts'
import { sendErrorBody, toAppError } from '../errors.ts'
import { rejectOtherMethods } from '../method-not-allowed.ts'
import { createGuard, readBearerKey } from '../request/auth.ts'
import { decodeBody } from '../request/body-text.ts'
import { secrecyHeaders } from '../response-headers.ts'

/** The codes of JSON-RPC errors, by the status of the reply. All others are errors of this server. */
const RPC_CODES: Readonly<Record<number, number>> = { 400: -32_600, 500: -32_603 }
const SERVER_ERROR = -32_000

const PROTOCOL_HEADERS = ['Mcp-Protocol-Version', 'Mcp-Method', 'Mcp-Name']

/**
 * Creates the plugin for the MCP server, with which agents read and change links by the Model Context
 * Protocol (https://modelcontextprotocol.io): Streamable HTTP without sessions, so that any worker
 * answers, and JSON replies.
 */
export function createMcpPlugin(ctx: HttpContext) {
  const metadata = ctx.authorizationServer?.metadataUrl
  const challenge = metadata ? `Bearer resource_metadata="${metadata}"` : 'Bearer'
  const guard = createGuard(ctx, 'mcp', {
    readKey: readBearerKey,
    readAccess: ({ routeOptions }) => routeOptions.config.access,
  })

  return async function plugin(app: FastifyInstance): Promise<void> {
    await setUpApiSurface(app, ctx, PROTOCOL_HEADERS)
    app.addHook('onRequest', async (_request, reply) => {
      reply.headers(secrecyHeaders)
    })
    app.addHook('onRequest', guard)
    app.setErrorHandler(sendRejection)
    parseJsonBodies(app)
    app.post(
      '/',
      { schema: { hide: true }, config: { access: { scope: 'any', boundKeys: true } } },
      handleMessage,
    )
    // Without sessions there is no stream to open with GET, and no session to end with DELETE.
    rejectOtherMethods(app, '', ['POST'])
  }

  async function handleMessage(
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    // The SDK takes a quarter of a second and 25 MB to load.
    const { answerMessage } = await import('./serve.ts')
    const response = await answerMessage(ctx, request)
    const type = response.headers.get('content-type')
    if (type) reply.type(type)
    return reply.code(response.status).send(await response.text())
  }

  /** Sends an error as a JSON-RPC error with the status that it has in the other APIs. */
  function sendRejection(
    thrown: unknown,
    request: FastifyRequest,
    reply: FastifyReply,
  ): FastifyReply {
    const error = toAppError(thrown, request)
    if (error.status === 401) reply.header('www-authenticate', challenge)
    const code = RPC_CODES[error.status] ?? SERVER_ERROR
    const body = { jsonrpc: '2.0', id: null, error: { code, message: error.message } }
    return sendErrorBody(reply, error, body)
  }
}

/**
 * Accepts one message per request. Older revisions of the protocol allow several, which would count as
 * one request. Removes `__proto__` and similar keys.
 */
function parseJsonBodies(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('remove', 'remove')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    (request, bytes: Buffer, done) => {
      const requireObject = (error: Error | null, body?: unknown) => {
        const isObject = typeof body === 'object' && body !== null && !Array.isArray(body)
        if (error || isObject) done(error, body)
        else done(new AppError('malformed_request', { text: 'rejections.body_not_object' }))
      }
      try {
        return parseJson(request, decodeBody(request, bytes), requireObject)
      } catch (error) {
        return done(error as Error)
      }
    },
  )
}
