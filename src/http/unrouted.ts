import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../context.ts'
import { sendError } from './api/send-error.ts'
import { sendErrorPage } from './html/error-page.ts'
import { sendLegacyError } from './legacy-api/reply.ts'
import { decodeAscii } from './logging.ts'
import { noSniffHeader } from './no-sniffing.ts'
import { checkAccess, readBearerKey, readPathKey } from './request/auth.ts'

/** Rejects a request that failed before routing. Its path decides whether it gets an API error or a page. */
export async function rejectUnrouted(
  ctx: HttpContext,
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  // The router decodes paths too, so an escaped letter must not change the format of the reply.
  const path = decodeAscii(request.raw.url ?? '')
  if (!isApiPath(path)) return sendErrorPage(ctx, error, request, reply)
  reply.headers({ 'access-control-allow-origin': '*', ...noSniffHeader })
  const isLegacy = isLegacyPath(path)
  const send = (rejection: unknown) =>
    isLegacy
      ? sendLegacyError(ctx, rejection, request, reply)
      : sendError(rejection, request, reply)
  try {
    const key = isLegacy ? readPathKey(request) : readBearerKey(request)
    await checkAccess(ctx.access, key, request, reply)
    return send(error)
  } catch (rejection) {
    return send(rejection)
  }
}

function isApiPath(url: string): boolean {
  return /^\/api(?:[/?]|$)/.test(url)
}

function isLegacyPath(url: string): boolean {
  return /^\/api\/v1\//.test(url)
}
