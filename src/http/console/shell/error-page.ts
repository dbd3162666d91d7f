import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { errorPage } from '../../../pages/error.ts'
import { getLanguage, runWithLocale } from '../../../texts.ts'
import { createErrorHeaders } from '../../errors.ts'
import { toCountedError } from '../../html/error-page.ts'
import { sendPage } from '../../html/send-page.ts'
import { describeLabeledError } from '../errors/labeled-error.ts'

/** Sends the page of an error in the console. Its text includes the label of the invalid field. */
export function sendConsoleErrorPage(
  ctx: Pick<HttpContext, 'counters'>,
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const error = toCountedError(ctx, thrown, request)
  const { code, status } = error
  const render = (nonce: string) => {
    const language = getLanguage()
    return errorPage({ nonce, language, code, status, message: describeLabeledError(error) })
  }
  // Errors while a body is read happen outside of the request's context, so the language is set again.
  return runWithLocale(request.locale, () =>
    sendPage(reply, render, { status, headers: createErrorHeaders(error) }),
  )
}
