import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../context.ts'
import type { AppError } from '../../errors.ts'
import { errorPage } from '../../pages/error.ts'
import { createErrorHeaders, toAppError } from '../errors.ts'
import { sendVisitorPage } from './send-page.ts'

/** Sends an error as a page in the visitor's language. */
export function sendErrorPage(
  ctx: Pick<HttpContext, 'counters'>,
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const error = toCountedError(ctx, thrown, request)
  const { code, status } = error
  return sendVisitorPage(reply, (context) => errorPage({ ...context, code, status }), {
    status,
    headers: createErrorHeaders(error),
  })
}

/** Converts a thrown value to an `AppError` and counts it if its status is 503. */
export function toCountedError(
  { counters }: Pick<HttpContext, 'counters'>,
  thrown: unknown,
  request: FastifyRequest,
): AppError {
  const error = toAppError(thrown, request)
  if (error.status === 503) {
    counters.visits.unavailable += 1
    counters.visitDurations.record(performance.now() - request.startedAt)
  }
  return error
}
