import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { errorPage } from '../../../pages/error.ts'
import { createErrorHeaders } from '../../errors.ts'
import { toCountedError } from '../../html/error-page.ts'
import { sendPage } from '../../html/send-page.ts'
import { getLanguage, runWithLocale } from '../../localization/language.ts'
import { describeLabeledError } from '../errors/labeled-error.ts'

/** Sends an error as a page of the console, with the error's own message. */
export function sendConsoleErrorPage(
  ctx: Pick<HttpContext, 'counters'>,
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const error = toCountedError(ctx, thrown, request)
  const { code, status } = error
  const draw = (nonce: string) => {
    const language = getLanguage()
    return errorPage({ nonce, language, code, status, message: describeLabeledError(error) })
  }
  // Errors while a body is read happen outside of the request's context.
  return runWithLocale(request.locale, () =>
    sendPage(reply, draw, { status, headers: createErrorHeaders(error) }),
  )
}
