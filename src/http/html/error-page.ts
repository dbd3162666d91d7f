import type { FastifyReply, FastifyRequest } from 'fastify'
import { errorPage } from '../../pages/error.ts'
import type { Services } from '../../services.ts'
import { errorHeaders, toAppError } from '../errors.ts'
import { sendPage } from './send-page.ts'

/** An error as a page. */
export function sendErrorPage(
  { counters }: Pick<Services, 'counters'>,
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const error = toAppError(thrown, request.log)
  if (error.status === 503) counters.visits.unavailable += 1
  const { code, status } = error
  const message = code === 'unsupported_media_type' ? 'Only forms can be sent here.' : error.message
  return sendPage(reply, (nonce) => errorPage({ nonce, status, message }), {
    status,
    headers: errorHeaders(error),
  })
}
