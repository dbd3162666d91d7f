import { html } from '@remix-run/html-template'
import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { requestPasswordReset } from '../../identity/forgotten-passwords.ts'
import { findPasswordReset, resetPassword } from '../../identity/password-reset.service.ts'
import { signInTrusted } from '../../identity/session.service.ts'
import { t } from '../../texts.ts'
import { describeBrowser } from '../request/browser.ts'
import { renderUsername } from './kit/fields.ts'
import { defineForm, type PageState } from './kit/form.ts'
import { renderUnusableLink, type SignedOutPage, TOKEN_HEADERS } from './kit/signed-out.ts'
import { type ConsoleRequest, defineSignedOutSubject } from './kit/subject.ts'
import { continueSignIn } from './sign-in.ts'

const PATH = '/console/forgot-password'

const requestForm = defineForm({
  email: { type: 'email', label: 'shell.fields.email', autocomplete: 'username', maxLength: 254 },
})

const resetForm = defineForm(
  {
    newPassword: {
      type: 'password',
      label: 'signIn.reset.newPassword',
      hint: 'shell.fields.passwordHint',
      autocomplete: 'new-password',
      minLength: 8,
    },
  },
  { fields: { password: 'newPassword' } },
)

/**
 * Registers password recovery, if sign-in with a password is allowed: a form that requests a reset
 * link by email, if the service can send email, and the form of a reset link. Reset links have no rate
 * limit: the token cannot be guessed, and attackers who guess passwords must not block this recovery.
 */
export function registerForgotPasswordRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { config, db } = ctx
  if (!config.passwordSignIn) return
  const { page, submit } = defineSignedOutSubject(app)

  if (config.mail) {
    page('/forgot-password', 'everyone', async () => renderRequest())
    page('/forgot-password/sent', 'everyone', async () => renderSent())
    submit(
      '/forgot-password',
      'everyone',
      requestForm,
      async (request, { email }) => {
        await requestPasswordReset(ctx, db, { email, address: request.ip })
        return { to: `${PATH}/sent` }
      },
      async (_request, state) => renderRequest(state),
    )
  }

  page('/reset-password/:token', 'everyone', (request) => renderReset(request))
  submit(
    '/reset-password/:token',
    'everyone',
    resetForm,
    async (request, { newPassword }, reply) => {
      const user = await resetPassword(ctx, db, request.params.token ?? '', newPassword)
      const origin = { address: request.ip, browser: describeBrowser(request) }
      return continueSignIn(ctx, reply, await signInTrusted(ctx, db, user, origin))
    },
    renderReset,
  )

  async function renderReset(
    { params: { token = '' } }: ConsoleRequest,
    state: PageState = {},
  ): Promise<SignedOutPage> {
    const title = t('signIn.reset.title')
    const user = await findPasswordReset(ctx, db, token)
    if (!user) return renderUnusableLink(title, new AppError('reset_link_invalid'))
    if (user.suspended) return renderUnusableLink(title, new AppError('account_suspended'))
    const { email } = user
    return {
      title,
      body: (frame) => html`<h1>${title}</h1>
<p class="soft">${t('signIn.reset.intro', { email })}</p>
${resetForm.renderError(state)}
${resetForm.render(frame, state, {
  before: renderUsername(email),
  button: t('signIn.reset.button'),
  isWide: true,
  autofocus: true,
})}`,
      headers: TOKEN_HEADERS,
    }
  }
}

function renderRequest(state: PageState = {}): SignedOutPage {
  return {
    title: t('forgotPassword.title'),
    body: (frame) => html`<h1>${t('forgotPassword.title')}</h1>
<p class="soft">${t('forgotPassword.intro')}</p>
${requestForm.renderError(state)}
${requestForm.render(frame, state, {
  action: PATH,
  button: t('forgotPassword.button'),
  isWide: true,
  autofocus: true,
})}
<p class="small soft"><a href="/console/sign-in">${t('forgotPassword.signIn')}</a></p>`,
  }
}

/** Renders the confirmation, which is the same for known and unknown email addresses. */
function renderSent(): SignedOutPage {
  return {
    title: t('forgotPassword.title'),
    body: () => html`<h1>${t('forgotPassword.sentTitle')}</h1>
<p class="soft">${t('forgotPassword.sent')}</p>
<p class="soft">${t('forgotPassword.sentHint')}</p>
<p class="actions"><a class="button" href="/console/sign-in">${t('forgotPassword.back')}</a></p>`,
  }
}
