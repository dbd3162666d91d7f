import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { HttpContext } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { hasPasskeys } from '../../identity/second-factor/passkeys.service.ts'
import {
  endSession,
  findSession,
  type SignInResult,
  signIn,
} from '../../identity/session.service.ts'
import type { StartedSession } from '../../identity/start-session.ts'
import { t } from '../../texts.ts'
import {
  clearPendingCookie,
  clearSessionCookie,
  readPendingToken,
  readSessionToken,
  setPendingCookie,
  setSessionCookie,
} from '../html/session-cookie.ts'
import { describeBrowser } from '../request/browser.ts'
import { withScript } from './assets.ts'
import { defineForm, type PageState } from './kit/form.ts'
import { renderButtonForm } from './kit/parts.ts'
import { buildPath, parseConsolePath } from './kit/query.ts'
import type { SignedOutFrame, SignedOutPage } from './kit/signed-out.ts'
import { defineSignedOutSubject, defineSubject, type Redirect } from './kit/subject.ts'

const PATH = '/console/sign-in'
const HOME = '/console'

const form = defineForm({
  email: {
    type: 'email',
    label: 'shell.fields.email',
    // Browsers also offer passkeys here.
    autocomplete: 'username webauthn',
    maxLength: 254,
  },
  password: {
    type: 'password',
    label: 'shell.fields.password',
    autocomplete: 'current-password',
  },
  /** The console path to continue to. */
  next: { type: 'hidden' },
})

/** Registers the sign-in page. */
export function registerSignInRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { config, db } = ctx
  const { page, submit } = defineSignedOutSubject(app)

  page('/sign-in', 'everyone', async (request) => {
    const next = parseConsolePath(request.query.next)
    const token = readSessionToken(config, request)
    const session = token === undefined ? undefined : await findSession(ctx, db, token)
    return session ? { to: next ?? HOME } : renderSignIn(ctx, { values: { next: next ?? '' } })
  })

  submit(
    '/sign-in',
    'everyone',
    form,
    async (request, { email, password, next }, reply) => {
      const result = await signIn(ctx, db, {
        email,
        password: password.slice(0, 1000),
        address: request.ip,
        browser: describeBrowser(request),
      })
      if (result.rejection) throw toAppError(result)
      return continueSignIn(ctx, reply, result, parseConsolePath(next))
    },
    async (_request, { values, errors }, { rejection }) => {
      if (rejection?.code === 'password_sign_in_off') throw rejection
      const isExpired = rejection?.code === 'form_expired'
      return renderSignIn(ctx, {
        values: { ...values, next: parseConsolePath(values?.next) ?? '' },
        ...(errors && { errors: isExpired ? { form: t('signIn.formExpired') } : errors }),
      })
    },
  )
}

/** Registers the form that signs the user out. */
export function registerSignOutRoute(app: FastifyInstance, ctx: HttpContext): void {
  const { config, db } = ctx
  defineSubject(app, HOME).action('/sign-out', 'viewer', async (request, reply) => {
    await endSession(db, readSessionToken(config, request) ?? '')
    clearSessionCookie(config, reply)
    return { to: PATH }
  })
}

/**
 * Continues after a step of signing in: leads to the second step if it is pending. Otherwise, sets the
 * session cookie, ends the browser's previous session and leads to `next`.
 */
export async function continueSignIn(
  { config, db }: HttpContext,
  reply: FastifyReply,
  started: StartedSession,
  next = HOME,
): Promise<Redirect> {
  if (started.pending !== undefined) {
    setPendingCookie(config, reply, started.pending)
    return { to: buildPath(`${PATH}/verify`, { next: next === HOME ? '' : next }) }
  }
  const { request } = reply
  // The previous session may belong to another user.
  const oldToken = readSessionToken(config, request)
  if (oldToken !== undefined) await endSession(db, oldToken)
  if (readPendingToken(config, request) !== undefined) clearPendingCookie(config, reply)
  setSessionCookie(config, reply, started.token)
  return { to: next }
}

function toAppError({ rejection, retryAfter = 0 }: Extract<SignInResult, { rejection: string }>) {
  switch (rejection) {
    case 'wrong':
      return new AppError('invalid_input', { field: 'password', text: 'signIn.wrong' })
    case 'rate_limited':
      return new AppError('rate_limited', { text: 'signIn.tooMany', retryAfter })
    case 'no_account':
    case 'account_suspended':
      return new AppError(rejection)
    default:
      rejection satisfies never
      throw new Error(`unknown rejection ${rejection}`)
  }
}

/**
 * Renders the sign-in page: a link to the identity provider, the password form, and a button for
 * passkeys, as far as they are available.
 */
export function renderSignIn(ctx: HttpContext, state: PageState): SignedOutPage {
  const { config, provider } = ctx
  const next = state.values?.next
  const className = config.passwordSignIn ? 'button quiet full' : 'button full'
  const start = buildPath('/console/oidc/start', { next })
  return {
    title: t('signIn.title'),
    // A script starts to sign in with a passkey in the background.
    policy: { connectSrc: ["'self'"] },
    body: (frame) => html`<h1>${t('signIn.title')}</h1>
${form.renderError(state)}
${provider ? html`<p><a class="${className}" href="${start}">${t('oidc.continueWith', { name: provider.name })}</a></p>` : null}
${config.passwordSignIn ? renderPasswordSignIn(ctx, frame, state) : null}`,
  }
}

function renderPasswordSignIn(ctx: HttpContext, frame: SignedOutFrame, state: PageState): SafeHtml {
  const { mail, registrationOpen } = ctx.config
  const next = state.values?.next
  const passkeyButton = {
    action: `${PATH}/passkey`,
    text: t('secondFactor.signInWithPasskey'),
    className: 'button quiet full',
    ...(next && { fields: { next } }),
  }
  return html`${form.render(frame, state, { action: PATH, button: t('signIn.button'), isWide: true, autofocus: true })}
${hasPasskeys(ctx) ? html`<div${withScript('passkey')} data-passkeys>${renderButtonForm(frame, passkeyButton)}</div>` : null}
<p class="small soft">${mail ? html`<a href="/console/forgot-password">${t('signIn.forgot')}</a>` : t('signIn.askAdmin')}</p>
${registrationOpen ? html`<p class="small soft">${t('signIn.noAccount')} <a href="/register">${t('signIn.register')}</a></p>` : null}`
}
