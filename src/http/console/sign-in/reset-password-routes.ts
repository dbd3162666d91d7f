import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findPasswordReset, resetPassword } from '../../../accounts/password-reset.service.ts'
import { signInTrusted } from '../../../accounts/session.service.ts'
import type { HttpContext } from '../../../context.ts'
import { AppError } from '../../../errors.ts'
import { createErrorHeaders, toAppError } from '../../errors.ts'
import { describeError } from '../../html/describe-error.ts'
import { checkFormToken, issueFormToken } from '../../html/form-token.ts'
import { pageRoute } from '../../html/page-route.ts'
import { describeBrowser } from '../../request/browser.ts'
import { describeFormError } from '../errors/labeled-error.ts'
import { continueSignIn } from '../second-factor/continue-sign-in.ts'
import { readFields, sendSignedOutPage } from '../shell/send.ts'
import { renderResetPasswordPage, renderResetRejectedPage } from './reset-password-page.ts'

type ResetRequest = FastifyRequest<{ Params: { token: string } }>
type Errors = { newPassword?: string; form?: string }

/**
 * Sends only the origin as the referrer, because the path contains the token. `no-referrer` would
 * also hide the origin of the form.
 */
const HEADERS = { 'referrer-policy': 'strict-origin' }

/**
 * Registers the routes of a reset link if sign-in with a password is allowed. There is no rate limit:
 * the token cannot be guessed, and attackers who guess passwords must not block this recovery.
 */
export function registerResetPasswordRoutes(app: FastifyInstance, ctx: HttpContext): void {
  if (!ctx.config.passwordSignIn) return

  app.route({
    ...pageRoute,
    url: '/reset-password/:token',
    handler: async (request: ResetRequest, reply) => sendForm(request, reply),
  })

  app.post(
    '/reset-password/:token',
    { schema: { hide: true } },
    async (request: ResetRequest, reply) => {
      const { csrf, newPassword } = readFields(request.body, ['csrf', 'newPassword'])
      try {
        checkFormToken(request, csrf)
        const account = await resetPassword(ctx, ctx.db, request.params.token, newPassword)
        const origin = { address: request.ip, browser: describeBrowser(request) }
        const result = await signInTrusted(ctx, ctx.db, account, origin)
        return await continueSignIn(ctx, reply, result)
      } catch (error) {
        const rejection = toAppError(error, request)
        if (rejection.status >= 500) throw rejection
        const isPasswordInvalid = rejection.field === 'password'
        const errorField = isPasswordInvalid ? 'newPassword' : 'form'
        const errors = { [errorField]: describeFormError(errorField, rejection) }
        return sendForm(request, reply, {
          errors,
          status: isPasswordInvalid ? 422 : rejection.status,
        })
      }
    },
  )

  async function sendForm(
    { params }: ResetRequest,
    reply: FastifyReply,
    { errors = {}, status = 200 }: { errors?: Errors; status?: number } = {},
  ): Promise<FastifyReply> {
    const account = await findPasswordReset(ctx, ctx.db, params.token)
    if (!account) return sendRejection(reply, new AppError('reset_link_invalid'))
    if (account.suspended) return sendRejection(reply, new AppError('account_suspended'))
    const csrf = issueFormToken(reply)
    const { email } = account
    return sendSignedOutPage(
      reply,
      (nonce) => renderResetPasswordPage({ nonce, csrf, email, errors }),
      {
        status,
        headers: HEADERS,
      },
    )
  }
}

function sendRejection(reply: FastifyReply, rejection: AppError): FastifyReply {
  return sendSignedOutPage(
    reply,
    (nonce) => renderResetRejectedPage({ nonce, text: describeError(rejection) }),
    {
      status: rejection.status,
      headers: { ...HEADERS, ...createErrorHeaders(rejection) },
    },
  )
}
