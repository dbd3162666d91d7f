import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { nanoid } from 'nanoid'
import type { Config } from '../../config.ts'
import { createRangeMatcher } from './address-ranges.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The `performance.now()` at which the request arrived. */
    startedAt: number
  }
}

/** The header with the id of a request, on requests from trusted proxies and on all replies. */
export const REQUEST_ID = 'x-request-id'

/** With 72 random bits, ids are unique, and do not reveal the number of requests. */
const LENGTH = 12

/**
 * Matches acceptable ids, such as UUIDs and those of nginx and Envoy. A proxy may pass on what its
 * client sent: the length is limited, slashes would allow paths, and keys must not get into the log.
 */
const ACCEPTABLE = /^(?!.*brv_)[\w.:=+@-]{1,128}$/i

export const createRequestId = () => nanoid(LENGTH)

/** Creates the function that returns a request's id: that of a trusted proxy, or a random one. */
export function createRequestIdReader({
  trustProxy,
}: Pick<Config, 'trustProxy'>): (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string {
  const isTrusted = createRangeMatcher(trustProxy)
  return ({ headers, socket }) => {
    const id = headers[REQUEST_ID]
    const isAcceptable = typeof id === 'string' && ACCEPTABLE.test(id)
    return isAcceptable && isTrusted(socket.remoteAddress ?? '') ? id : createRequestId()
  }
}

/** Notes when requests arrive, and sends their ids with the replies of all routes. */
export function identifyRequests(app: FastifyInstance): void {
  app.decorateRequest('startedAt', 0)
  app.addHook('onRequest', (request, reply, done) => {
    identifyReply(request, reply)
    done()
  })
}

/** Notes when a request arrives, and sends its id with the reply. */
export function identifyReply(request: FastifyRequest, reply: FastifyReply): void {
  request.startedAt = performance.now()
  reply.header(REQUEST_ID, request.id)
}
