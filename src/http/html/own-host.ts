import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Services } from '../../services.ts'
import { sendNotFound } from './not-found.ts'

/** The hook that keeps the service's own pages off branded domains, which have short links alone. */
export function ownHostOnly(services: Services) {
  return async function guard(
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply | undefined> {
    const host = await services.hosts.resolve(request.headers.host ?? '')
    return host.kind === 'service' ? undefined : sendNotFound(services, reply, host)
  }
}
