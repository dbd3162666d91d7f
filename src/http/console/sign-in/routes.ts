import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { SignInResult } from '../../../accounts/session.service.ts'
import { endSession, findSession, signIn } from '../../../accounts/session.service.ts'
import type { HttpContext } from '../../../context.ts'
import { AppError } from '../../../errors.ts'
import { t } from '../../../texts.ts'
import { describeError } from '../../html/describe-error.ts'
import { checkFormToken } from '../../html/form-token.ts'
import { pageRoute } from '../../html/page-route.ts'
import { clearSessionCookie, readSessionToken } from '../../html/session-cookie.ts'
import { describeBrowser } from '../../request/browser.ts'
import { formFor } from '../kit/roles.ts'
import { continueSignIn } from '../second-factor/continue-sign-in.ts'
import { parseConsolePath } from '../shell/console-path.ts'
import { readFields } from '../shell/send.ts'
import { type SignInForm, sendSignIn } from './send-sign-in.ts'

type Rejection = Extract<SignInResult, { rejection: string }>

const HOME = '/console'

/** Registers the routes of the sign-in page. */
export function registerSignInRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { config } = ctx
  app.route({
    ...pageRoute,
    url: '/sign-in',
    handler: async (request: FastifyRequest<{ Querystring: { next?: unknown } }>, reply) => {
      const next = parseConsolePath(request.query.next)
      const token = readSessionToken(config, request)
      const session = token === undefined ? undefined : await findSession(ctx, ctx.db, token)
      if (session) return reply.redirect(next ?? HOME, 303)
      return sendSignIn(ctx, reply, { next })
    },
  })

  app.post('/sign-in', { schema: { hide: true } }, async (request, reply) => {
    const { csrf, next, email, password } = readFields(request.body, [
      'csrf',
      'next',
      'email',
      'password',
    ])
    const form = { email, next: parseConsolePath(next) }
    try {
      checkFormToken(request, csrf)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const text = t('signIn.formExpired')
      return sendSignIn(ctx, reply, { ...form, errors: { form: text } }, { status: 403 })
    }
    const result = await signIn(ctx, ctx.db, {
      email,
      password: password.slice(0, 1000),
      address: request.ip,
      browser: describeBrowser(request),
    })
    if (result.rejection) return sendRejection(reply, form, result)
    return continueSignIn(ctx, reply, result, form.next)
  })

  function sendRejection(
    reply: FastifyReply,
    form: SignInForm,
    { rejection, retryAfter }: Rejection,
  ) {
    switch (rejection) {
      case 'wrong': {
        const password = t('signIn.wrong')
        return sendSignIn(ctx, reply, { ...form, errors: { password } }, { status: 422 })
      }
      case 'no_account':
      case 'account_suspended': {
        const error = new AppError(rejection)
        const errors = { form: describeError(error) }
        return sendSignIn(ctx, reply, { ...form, errors }, { status: error.status })
      }
      case 'rate_limited': {
        const text = t('signIn.tooMany')
        const headers = { 'retry-after': String(retryAfter) }
        return sendSignIn(ctx, reply, { ...form, errors: { form: text } }, { status: 429, headers })
      }
      default:
        rejection satisfies never
        throw new Error(`unknown rejection ${rejection}`)
    }
  }
}

/** Registers the route that signs the user out. */
export function registerSignOutRoute(app: FastifyInstance, ctx: HttpContext): void {
  const { config } = ctx
  app.post('/sign-out', formFor('viewer'), async (request, reply) => {
    await endSession(ctx.db, readSessionToken(config, request) ?? '')
    clearSessionCookie(config, reply)
    return reply.redirect('/console/sign-in', 303)
  })
}
