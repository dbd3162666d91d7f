import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { isPrefetch } from '../../visitors/crawler.ts'
import { apiSurface } from '../api-surface.ts'
import { errorHeaders, toAppError } from '../errors.ts'
import { isCallback } from '../jsonp.ts'
import { rejectOtherMethods } from '../method-not-allowed.ts'
import { createGuard, rateHeaders } from '../request/auth.ts'
import { parseForms } from '../request/multipart.ts'
import { queryParameters, readParameters } from '../request/parameters.ts'
import { secrecyHeaders } from '../secrecy.ts'
import { actionAccess, createActions } from './actions.ts'
import { type Given, PARAMETERS, readCall } from './call.ts'
import { presentRejection } from './present.ts'
import { sendAnswer } from './reply.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The parameters of a call, undefined until they are read and the call is counted. */
    given: Given | undefined
  }
}

const BODY_LIMIT = 64 * 1024

const NO_TIMESTAMPS =
  'Timestamped signatures are not supported, because only a hash of each API key is stored. ' +
  'Send the API key itself as signature, or as password with any username.'

/**
 * The API of YOURLS (https://yourls.org/readme#API) for existing clients: six actions in four
 * formats, with the same links and limits as the other APIs.
 */
export function yourlsApi(ctx: HttpContext) {
  const { access } = ctx
  const perform = createActions(ctx)
  const guard = createGuard(access, {
    // An API key replaces YOURLS's secret signature or a user's password.
    readKey: ({ given }) => given?.signature || given?.password,
    readAccess: ({ given }) => actionAccess(given?.action),
  })

  return async function plugin(app: FastifyInstance): Promise<void> {
    await apiSurface(app, ctx)
    app.decorateRequest('given', undefined)
    app.removeAllContentTypeParsers()
    const asBuffer = { parseAs: 'buffer', bodyLimit: BODY_LIMIT } as const
    app.addContentTypeParser('*', asBuffer, (_request, body, done) => done(null, body))
    await parseForms(app, BODY_LIMIT)
    app.addHook('onRequest', async (_request, reply) => {
      reply.headers({ ...secrecyHeaders, ...rateHeaders(access.unknown()) })
    })
    // The key may be in the body, so a call is counted after the body is read.
    app.addHook('preValidation', async (request, reply) => {
      request.given = readParameters(request, PARAMETERS)
      await guard(request, reply)
    })
    app.setErrorHandler(sendRejection)
    app.route({ method: ['GET', 'POST'], url: '/', schema: { hide: true }, handler: answer })
    rejectOtherMethods(app, '', ['GET', 'POST'])
  }

  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { headers, method, given = {} } = request
    if (method === 'GET' && isPrefetch(headers)) {
      reply.header('allow', 'GET, POST')
      throw new AppError('method_not_allowed')
    }
    const { format, callback = '' } = given
    if (format?.toLowerCase() === 'jsonp' && !isCallback(callback)) {
      throw new AppError('malformed_request', 'callback must be the name of a JavaScript function')
    }
    const call = await readCall(ctx, request, given)
    return sendAnswer(reply, await perform(call), given)
  }

  async function sendRejection(thrown: unknown, request: FastifyRequest, reply: FastifyReply) {
    let error = toAppError(thrown, request.log)
    if (!request.given) {
      // The body could not be read, so the call has not been counted.
      request.given = queryParameters(request, PARAMETERS)
      await guard(request, reply).catch((rejection) => {
        if (!isKeyless(rejection)) error = toAppError(rejection, request.log)
      })
    }
    if (isKeyless(error)) error = keyRejection(request.given)
    return sendAnswer(reply.headers(errorHeaders(error)), presentRejection(error), request.given)
  }
}

function isKeyless(error: unknown): boolean {
  return error instanceof AppError && error.code === 'key_required'
}

/** With YOURLS's status and message. */
function keyRejection({ signature, password, timestamp }: Given): AppError {
  if (timestamp !== undefined) return new AppError('forbidden', NO_TIMESTAMPS)
  if (signature) return new AppError('forbidden', 'Invalid signature')
  return new AppError('forbidden', password ? 'Invalid username or password' : 'Please log in')
}
