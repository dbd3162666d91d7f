import type { FastifyReply, FastifyRequest } from 'fastify'
import { errorPage } from '../../pages/error.ts'
import type { Services } from '../../services.ts'
import { refusalHeaders, toRefusal } from '../errors.ts'
import { sendPage } from './send-page.ts'

/** A refusal as a page. */
export function sendPageRefusal(
  { counters }: Services,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const refusal = toRefusal(error, request.log)
  if (refusal.status === 503) counters.visits.unavailable += 1
  const { code, status } = refusal
  const message =
    code === 'unsupported_media_type' ? 'Only forms can be sent here.' : refusal.message
  return sendPage(reply, (nonce) => errorPage({ nonce, status, message }), {
    status,
    headers: refusalHeaders(refusal),
  })
}
