import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { AppError } from '../../../errors.ts'
import {
  challengePasskey,
  completeWithPasskey,
  startPasskeySignIn,
} from '../../../people/second-factor/passkeys.service.ts'
import {
  completeWithCode,
  findSecondStep,
} from '../../../people/second-factor/second-step.service.ts'
import { t } from '../../../texts.ts'
import { createErrorHeaders, toAppError } from '../../errors.ts'
import { checkFormToken, issueFormToken } from '../../html/form-token.ts'
import { pageRoute } from '../../html/page-route.ts'
import { clearPendingCookie, readPendingToken } from '../../html/session-cookie.ts'
import { describeBrowser } from '../../request/browser.ts'
import { describeFormError } from '../errors/labeled-error.ts'
import { parseConsolePath } from '../shell/console-path.ts'
import { readFields, sendSignedOutPage } from '../shell/send.ts'
import { continueSignIn } from './continue-sign-in.ts'
import { renderSignInExpiredPage, renderVerifyPage, type VerifyPage } from './verify-page.ts'

type PageRequest = FastifyRequest<{ Querystring: { next?: unknown } }>

const hidden = { schema: { hide: true } }
/** The fields that show their own errors. */
const FIELDS = ['code', 'credential']

/** Registers the routes of the second step of signing in, and of signing in with a passkey. */
export function registerVerifyRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { config, db } = ctx

  app.route({
    ...pageRoute,
    url: '/sign-in/verify',
    handler: async ({ query }: PageRequest, reply) => sendForm(reply, parseConsolePath(query.next)),
  })

  app.post('/sign-in/verify', hidden, async (request, reply) =>
    attempt(request, reply, (token) => {
      const { code } = readFields(request.body, ['code'])
      const origin = { address: request.ip, browser: describeBrowser(request) }
      return completeWithCode(ctx, db, token, { code, ...origin })
    }),
  )

  app.post('/sign-in/verify/passkey', hidden, async (request, reply) =>
    attempt(request, reply, (token) => {
      const { credential } = readFields(request.body, ['credential'])
      const origin = { address: request.ip, browser: describeBrowser(request) }
      return completeWithPasskey(ctx, db, token, { response: credential, ...origin })
    }),
  )

  app.post('/sign-in/passkey', hidden, async (request, reply) => {
    const { csrf, next } = readFields(request.body, ['csrf', 'next'])
    checkFormToken(request, csrf)
    const pending = await startPasskeySignIn(ctx, db, request.ip)
    return continueSignIn(ctx, reply, { pending }, parseConsolePath(next))
  })

  /**
   * Completes a sign-in with `complete`, which returns the session's token for the token of the
   * pending sign-in. If it fails, shows the form again with the error.
   */
  async function attempt(
    request: FastifyRequest,
    reply: FastifyReply,
    complete: (pendingToken: string) => Promise<string>,
  ): Promise<FastifyReply> {
    const { csrf, next } = readFields(request.body, ['csrf', 'next'])
    const path = parseConsolePath(next)
    try {
      checkFormToken(request, csrf)
      const token = await complete(readPendingToken(config, request) ?? '')
      return await continueSignIn(ctx, reply, { token }, path)
    } catch (error) {
      const rejection = toAppError(error, request)
      if (rejection.status >= 500) throw rejection
      return sendForm(reply, path, rejection)
    }
  }

  /** Sends the form of the pending sign-in, or the page of an expired one after an attempt. */
  async function sendForm(reply: FastifyReply, next?: string, rejection?: AppError) {
    const token = readPendingToken(config, reply.request) ?? ''
    const secondStep = await findSecondStep(ctx, db, token)
    if (!secondStep) return rejection ? sendExpired(reply) : reply.redirect('/console/sign-in', 303)
    const { user, factor } = secondStep
    const view = {
      csrf: issueFormToken(reply),
      email: user?.email,
      hasCodes: factor !== undefined && factor.codesSince !== null,
      passkey: await challengePasskey(ctx, db, token, user?.id),
      next,
      errors: rejection ? toFormErrors(rejection) : {},
    }
    const isFieldError = FIELDS.includes(rejection?.field ?? '')
    return sendSignedOutPage(reply, (nonce) => renderVerifyPage({ ...view, nonce }), {
      status: isFieldError ? 422 : (rejection?.status ?? 200),
      headers: rejection ? createErrorHeaders(rejection) : {},
    })
  }

  function sendExpired(reply: FastifyReply): FastifyReply {
    clearPendingCookie(config, reply)
    const { status } = new AppError('sign_in_expired')
    return sendSignedOutPage(reply, (nonce) => renderSignInExpiredPage({ nonce }), { status })
  }
}

/** Returns the error for the form. */
function toFormErrors(rejection: AppError): VerifyPage['errors'] & object {
  const { code, field = '', retryAfter = 0 } = rejection
  if (code === 'rate_limited') {
    // Only the limit per day requires a longer wait than a minute.
    return {
      form: retryAfter > 60 ? t('secondFactor.tooManyToday') : t('secondFactor.tooManyAttempts'),
    }
  }
  if (field === 'credential') return { credential: t('secondFactor.passkeyRefused') }
  const errorField = field === 'code' ? 'code' : 'form'
  return { [errorField]: describeFormError(errorField, rejection) }
}
