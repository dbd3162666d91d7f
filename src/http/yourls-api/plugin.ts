import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { isPrefetch } from '../../visitors/crawler.ts'
import { setUpApiSurface } from '../api-surface.ts'
import { createErrorHeaders, toAppError } from '../errors.ts'
import { isCallback } from '../jsonp.ts'
import { rejectOtherMethods } from '../method-not-allowed.ts'
import { createGuard, createRateHeaders } from '../request/auth.ts'
import { parseForms } from '../request/multipart.ts'
import { readParameters, readQueryParameters } from '../request/parameters.ts'
import { secrecyHeaders } from '../response-headers.ts'
import { createActions, findActionAccess } from './actions.ts'
import { PARAMETERS, readCall, type YourlsParameters } from './call.ts'
import { presentRejection, sendYourlsReply } from './present.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The parameters of a YOURLS call. Undefined until the body is read and the call is counted. */
    yourlsParameters: YourlsParameters | undefined
  }
}

const BODY_LIMIT = 64 * 1024

/**
 * Creates the plugin for the API of YOURLS (https://yourls.org/readme#API). Existing clients can
 * use six actions in four formats, with the same links and limits as in the other APIs.
 */
export function createYourlsApi(ctx: HttpContext) {
  const { access } = ctx
  const perform = createActions(ctx)
  const guard = createGuard(ctx, 'yourls-api', {
    // An API key replaces YOURLS's secret signature or a user's password.
    readKey: ({ yourlsParameters }) => yourlsParameters?.signature || yourlsParameters?.password,
    readAccess: ({ yourlsParameters }) => findActionAccess(yourlsParameters?.action),
  })

  return async function plugin(app: FastifyInstance): Promise<void> {
    await setUpApiSurface(app, ctx)
    app.decorateRequest('yourlsParameters', undefined)
    app.removeAllContentTypeParsers()
    const asBuffer = { parseAs: 'buffer', bodyLimit: BODY_LIMIT } as const
    app.addContentTypeParser('*', asBuffer, (_request, body, done) => done(null, body))
    await parseForms(app, BODY_LIMIT)
    app.addHook('onRequest', async (_request, reply) => {
      reply.headers({ ...secrecyHeaders, ...createRateHeaders(access.createUnknownWindow()) })
    })
    // The key may be in the body, so a call is counted after the body is read.
    app.addHook('preValidation', async (request, reply) => {
      request.yourlsParameters = readParameters(request, PARAMETERS)
      await guard(request, reply)
    })
    app.setErrorHandler(sendRejection)
    app.route({ method: ['GET', 'POST'], url: '/', schema: { hide: true }, handler: handleCall })
    rejectOtherMethods(app, '', ['GET', 'POST'])
  }

  async function handleCall(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { headers, method, yourlsParameters: parameters = {} } = request
    if (method === 'GET' && isPrefetch(headers)) {
      reply.header('allow', 'GET, POST')
      throw new AppError('method_not_allowed')
    }
    const { format, callback = '' } = parameters
    if (format?.toLowerCase() === 'jsonp' && !isCallback(callback)) {
      throw new AppError('malformed_request', { text: 'rejections.yourls_callback' })
    }
    const call = await readCall(ctx, request, parameters)
    return sendYourlsReply(reply, await perform(call), parameters)
  }

  async function sendRejection(thrown: unknown, request: FastifyRequest, reply: FastifyReply) {
    let error = toAppError(thrown, request)
    if (!request.yourlsParameters) {
      // The body could not be read, so the call has not been counted.
      request.yourlsParameters = readQueryParameters(request, PARAMETERS)
      await guard(request, reply).catch((rejection) => {
        if (!isKeyRequired(rejection)) error = toAppError(rejection, request)
      })
    }
    if (isKeyRequired(error)) error = toKeyRejection(request.yourlsParameters)
    return sendYourlsReply(
      reply.headers(createErrorHeaders(error)),
      presentRejection(error),
      request.yourlsParameters,
    )
  }
}

function isKeyRequired(error: unknown): boolean {
  return error instanceof AppError && error.code === 'key_required'
}

/** Returns the error for a missing or invalid key, with the status and message of YOURLS. */
function toKeyRejection({ signature, password, timestamp }: YourlsParameters): AppError {
  if (timestamp !== undefined) {
    return new AppError('forbidden', { text: 'rejections.yourls_timestamp' })
  }
  if (signature) return new AppError('forbidden', { text: 'rejections.yourls_signature' })
  return new AppError('forbidden', {
    text: password ? 'rejections.yourls_password' : 'rejections.yourls_login',
  })
}
