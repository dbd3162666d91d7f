import { html } from '@remix-run/html-template'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { HttpContext } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { register } from '../../identity/registrations.ts'
import { createSession } from '../../identity/session.service.ts'
import { csrfField, field, timeZoneField } from '../../pages/field.ts'
import { page } from '../../pages/layout.ts'
import { scopeOf } from '../../scope.ts'
import { getLanguage, t } from '../../texts.ts'
import { toAppError } from '../errors.ts'
import { describeError } from '../html/describe-error.ts'
import { checkFormToken, issueFormToken } from '../html/form-token.ts'
import { pageRoute } from '../html/page-route.ts'
import { sendPage } from '../html/send-page.ts'
import { setNewKeyCookie, setSessionCookie } from '../html/session-cookie.ts'
import { describeBrowser } from '../request/browser.ts'
import { renderApiKeyPage } from './key-page.ts'

type RegisterPage = {
  nonce: string
  csrf: string
  /** The submitted values, without the password, which is never sent back. */
  values?: { email?: string; username?: string }
  /** Errors by field. `form` is for all other errors. */
  errors?: { email?: string; username?: string; password?: string; form?: string }
  /** The identity provider, if there is one. */
  provider?: { name: string; href: string } | undefined
}

/** Registers the registration form and the page that shows the new key once. */
export function registerRegistrationRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { config } = ctx

  app.route({
    ...pageRoute,
    url: '/register',
    handler: async (_request, reply) => {
      requireOpenRegistration()
      // Without passwords, people register by signing in with the identity provider.
      if (!config.passwordSignIn) return reply.redirect('/console/sign-in', 303)
      return sendForm(ctx, reply, {})
    },
  })

  app.post('/register', { schema: { hide: true } }, async (request, reply) => {
    requireOpenRegistration()
    const { csrf, ...body } = (request.body ?? {}) as Record<string, unknown>
    checkFormToken(request, csrf)
    const email = readText(body.email)
    const username = readText(body.username)
    const password = readText(body.password)
    const timeZone = readText(body.timeZone)
    try {
      const { language } = request.locale
      const input = { email, username, password, language, timeZone }
      const result = await register(ctx, ctx.db, input, request.ip)
      if ('rejection' in result) {
        reply.header('retry-after', String(result.retryAfter))
        throw new AppError(result.rejection)
      }
      const { account, key } = result
      const { baseUrl, console } = config
      if (!console) {
        const { username } = account
        return sendPage(reply, (nonce) => renderApiKeyPage({ nonce, username, key, baseUrl }))
      }
      const token = await createSession(scopeOf(ctx, account.id), describeBrowser(request))
      setSessionCookie(config, reply, token)
      setNewKeyCookie(config, reply, key)
      return reply.header('cache-control', 'no-store').redirect('/console', 303)
    } catch (error) {
      const rejection = toAppError(error, request)
      if (rejection.status >= 500) throw rejection
      return sendForm(
        ctx,
        reply,
        { values: { email, username }, errors: toFormErrors(rejection) },
        rejection,
      )
    }
  })

  function requireOpenRegistration(): void {
    if (!config.registrationOpen) throw new AppError('registration_closed')
  }
}

function sendForm(
  { config, provider }: HttpContext,
  reply: FastifyReply,
  form: Partial<RegisterPage>,
  rejection?: AppError,
): FastifyReply {
  const csrf = issueFormToken(reply)
  const signInProvider =
    provider && config.console ? { name: provider.name, href: '/console/oidc/start' } : undefined
  return sendPage(
    reply,
    (nonce) => renderRegisterPage({ ...form, nonce, csrf, provider: signInProvider }),
    { status: rejection?.status ?? 200 },
  )
}

function readText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** The fields that show their own errors. */
const FIELDS: readonly string[] = ['email', 'username', 'password']

/** Returns the error messages by field, without the name of the field, which is in its label. */
function toFormErrors(error: AppError): NonNullable<RegisterPage['errors']> {
  const codes: Record<string, string> = { email_taken: 'email', username_taken: 'username' }
  const texts = [error, ...error.others].map((each) => {
    const name = codes[each.code] ?? each.field ?? 'form'
    return [FIELDS.includes(name) ? name : 'form', describeError(each)]
  })
  return Object.fromEntries(texts)
}

/**
 * Renders the registration form. Posts `csrf`, `email`, `username`, `password` and `timeZone` to
 * `/register`. Needs only the default Content-Security-Policy.
 */
export function renderRegisterPage({
  nonce,
  csrf,
  values = {},
  errors = {},
  provider,
}: RegisterPage): string {
  return page({
    title: t('registration.title'),
    nonce,
    language: getLanguage(),
    body: html`<h1>${t('registration.title')}</h1>
${errors.form ? html`<p class="notice" role="alert">${errors.form}</p>` : null}
${provider ? html`<p><a class="button quiet full" href="${provider.href}">${t('registration.continueWith', { provider: provider.name })}</a></p>` : null}
<form method="post" action="/register">
${csrfField(csrf)}
${timeZoneField(nonce)}
${field({
  name: 'email',
  label: t('registration.email'),
  type: 'email',
  autocomplete: 'email',
  value: values.email ?? '',
  error: errors.email,
  autofocus: Boolean(errors.email),
  maxLength: 254,
})}
${field({
  name: 'username',
  label: t('registration.username'),
  autocomplete: 'username',
  value: values.username,
  error: errors.username,
  autofocus: Boolean(errors.username && !errors.email),
  hint: t('registration.usernameHint'),
})}
${field({
  name: 'password',
  label: t('registration.password'),
  type: 'password',
  autocomplete: 'new-password',
  error: errors.password,
  autofocus: Boolean(errors.password && !errors.email && !errors.username),
  hint: t('registration.passwordHint'),
  minLength: 8,
  maxLength: 200,
})}
<button class="button full">${t('registration.button')}</button>
</form>`,
  })
}
