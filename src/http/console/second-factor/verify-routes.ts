import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { AppError } from '../../../errors.ts'
import {
  completeWithCode,
  findSecondStep,
} from '../../../people/second-factor/second-step.service.ts'
import { errorHeaders, toAppError } from '../../errors.ts'
import { checkFormToken, issueFormToken } from '../../html/form-token.ts'
import { pageRoute } from '../../html/page-route.ts'
import { clearPendingCookie, readPendingToken } from '../../html/session-cookie.ts'
import { browserOf } from '../../request/browser.ts'
import { faultText, fieldsOf, sendBefore } from '../send.ts'
import { pathWithin } from '../shell/path-within.ts'
import { continueSignIn } from './continue-sign-in.ts'
import { secondFactorMessages as texts } from './messages.ts'
import { signInExpiredPage, type VerifyPage, verifyPage } from './verify-page.ts'

type PageRequest = FastifyRequest<{ Querystring: { next?: unknown } }>
type Form = Pick<VerifyPage, 'next' | 'errors'>

/** The second step of signing in, for users who have a second factor. */
export function verifyRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { config, db } = ctx

  app.route({
    ...pageRoute,
    url: '/sign-in/verify',
    handler: async ({ query }: PageRequest, reply) =>
      sendForm(reply, { next: pathWithin(query.next) }),
  })

  app.post('/sign-in/verify', { schema: { hide: true } }, async (request, reply) => {
    const { csrf, next, code } = fieldsOf(request.body, ['csrf', 'next', 'code'])
    const form = { next: pathWithin(next) }
    try {
      checkFormToken(request, csrf)
      const origin = { address: request.ip, browser: browserOf(request) }
      const pending = readPendingToken(config, request) ?? ''
      const token = await completeWithCode(ctx, db, pending, { code, ...origin })
      return await continueSignIn(ctx, reply, { token }, form.next)
    } catch (error) {
      const rejection = toAppError(error, request.log)
      if (rejection.status >= 500) throw rejection
      return sendForm(reply, form, rejection)
    }
  })

  async function sendForm(reply: FastifyReply, form: Form, rejection?: AppError) {
    const found = await findSecondStep(ctx, db, readPendingToken(config, reply.request) ?? '')
    if (!found) return rejection ? refuse(reply) : reply.redirect('/console/sign-in', 303)
    const csrf = issueFormToken(reply)
    const { email } = found.user
    const isField = rejection?.field === 'code'
    const errors = rejection ? { [isField ? 'code' : 'form']: textOf(rejection) } : {}
    return sendBefore(reply, (nonce) => verifyPage({ ...form, nonce, csrf, email, errors }), {
      status: isField ? 422 : (rejection?.status ?? 200),
      headers: rejection ? errorHeaders(rejection) : {},
    })
  }

  function refuse(reply: FastifyReply): FastifyReply {
    clearPendingCookie(config, reply)
    const { status } = new AppError('sign_in_expired')
    return sendBefore(reply, (nonce) => signInExpiredPage({ nonce }), { status })
  }
}

function textOf(rejection: AppError): string {
  if (rejection.code !== 'rate_limited') return faultText(rejection)
  return (rejection.retryAfter ?? 0) > 60 ? texts.tooManyToday : texts.tooManyAttempts
}
