import type { FastifyReply, FastifyRequest } from 'fastify'
import { errorPage } from '../../pages/error.ts'
import type { Services } from '../../services.ts'
import { refusalHeaders, toRefusal } from '../errors.ts'
import { sendPage } from './html.ts'

/** A refusal as a page. */
export function sendPageRefusal(
  { tally }: Services,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const refusal = toRefusal(error, request.log)
  if (refusal.status === 503) tally.visits.unavailable += 1
  const { status, message } = refusal
  return sendPage(reply, (nonce) => errorPage({ nonce, status, message }), {
    status,
    headers: refusalHeaders(refusal),
  })
}
