import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../../../context.ts'
import type { AppError } from '../../../../errors.ts'
import { requestPasswordReset } from '../../../../people/forgotten-passwords.ts'
import { createErrorHeaders, toAppError } from '../../../errors.ts'
import { checkFormToken, issueFormToken } from '../../../html/form-token.ts'
import { pageRoute } from '../../../html/page-route.ts'
import { describeFormError } from '../../errors/labeled-error.ts'
import { readFields, sendSignedOutPage } from '../../shell/send.ts'
import { renderForgotPasswordPage, renderResetSentPage } from './page.ts'

type FormState = { email?: string; rejection?: AppError }

const PATH = '/forgot-password'

/** Registers password recovery by email, if SMTP is configured and passwords are allowed. */
export function registerForgotPasswordRoutes(app: FastifyInstance, ctx: HttpContext): void {
  if (!ctx.config.mail || !ctx.config.passwordSignIn) return

  app.route({
    ...pageRoute,
    url: PATH,
    handler: async (_request, reply) => sendForm(reply),
  })

  app.route({
    ...pageRoute,
    url: `${PATH}/sent`,
    handler: async (_request, reply) =>
      sendSignedOutPage(reply, (nonce) => renderResetSentPage({ nonce })),
  })

  app.post(PATH, { schema: { hide: true } }, async (request: FastifyRequest, reply) => {
    const { csrf, email } = readFields(request.body, ['csrf', 'email'])
    try {
      checkFormToken(request, csrf)
      await requestPasswordReset(ctx, ctx.db, { email, address: request.ip })
      return reply.redirect(`/console${PATH}/sent`, 303)
    } catch (error) {
      const rejection = toAppError(error, request)
      if (rejection.status >= 500) throw rejection
      return sendForm(reply, { email, rejection })
    }
  })
}

function sendForm(reply: FastifyReply, { email, rejection }: FormState = {}): FastifyReply {
  const csrf = issueFormToken(reply)
  const isEmailError = rejection?.field === 'email'
  const errorField = isEmailError ? 'email' : 'form'
  const errors = rejection ? { [errorField]: describeFormError(errorField, rejection) } : {}
  return sendSignedOutPage(
    reply,
    (nonce) => renderForgotPasswordPage({ nonce, csrf, errors, ...(email && { email }) }),
    {
      status: isEmailError ? 422 : (rejection?.status ?? 200),
      headers: rejection ? createErrorHeaders(rejection) : {},
    },
  )
}
