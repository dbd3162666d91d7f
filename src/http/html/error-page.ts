import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AppError } from '../../errors.ts'
import { errorPage } from '../../pages/error.ts'
import type { Services } from '../../services.ts'
import { errorHeaders, toAppError } from '../errors.ts'
import { sendPage, sendVisitorPage } from './send-page.ts'

/** Sends an error as a page in the visitor's language. */
export function sendErrorPage(
  services: Pick<Services, 'counters'>,
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const error = readError(services, thrown, request)
  const { code, status } = error
  return sendVisitorPage(reply, (context) => errorPage({ ...context, code, status }), {
    status,
    headers: errorHeaders(error),
  })
}

/** Sends an error as a page of the console, with the error's own message. */
export function sendConsoleErrorPage(
  services: Pick<Services, 'counters'>,
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const error = readError(services, thrown, request)
  const { code, status, message } = error
  return sendPage(reply, (nonce) => errorPage({ nonce, language: 'en', code, status, message }), {
    status,
    headers: errorHeaders(error),
  })
}

function readError(
  { counters }: Pick<Services, 'counters'>,
  thrown: unknown,
  request: FastifyRequest,
): AppError {
  const error = toAppError(thrown, request.log)
  if (error.status === 503) counters.visits.unavailable += 1
  return error
}
