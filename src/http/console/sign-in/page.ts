import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField, field } from '../../../pages/field.ts'
import { t } from '../../../texts.ts'
import { renderPasskeyButton } from '../second-factor/passkey-form.ts'
import { renderPlainPage } from '../shell/plain-page.ts'

export type SignInPage = {
  nonce: string
  csrf: string
  /** The console path to continue to. */
  next?: string | undefined
  /** The submitted email address. A password is never sent back. */
  email?: string
  errors?: { password?: string; form?: string }
  isRegistrationOpen: boolean
  /** Whether the service can email reset links. */
  canSendMail: boolean
  /** Whether browsers offer passkeys for this service. */
  hasPasskeys: boolean
  /** Whether sign-in with a password is allowed. */
  allowsPasswords: boolean
  /** The name of the identity provider, if configured. */
  provider: string | undefined
}

/**
 * Renders the sign-in page: a link to the identity provider, the password form, and a button for
 * passkeys, as far as they are available. The form posts `csrf`, `next`, `email` and `password`.
 */
export function renderSignInPage(input: SignInPage): string {
  const { nonce, next, errors = {}, allowsPasswords, provider } = input
  return renderPlainPage({
    title: t('signIn.title'),
    nonce,
    body: html`<h1>${t('signIn.title')}</h1>
${errors.form ? html`<p class="notice" role="alert">${errors.form}</p>` : null}
${provider === undefined ? null : renderProviderLink(provider, next, allowsPasswords)}
${allowsPasswords ? renderPasswordForm(input) : null}`,
  })
}

function renderProviderLink(
  name: string,
  next: string | undefined,
  allowsPasswords: boolean,
): SafeHtml {
  const query = next ? `?${new URLSearchParams({ next })}` : ''
  const className = allowsPasswords ? 'button quiet full' : 'button full'
  return html`<p><a class="${className}" href="/console/oidc/start${query}">${t('oidc.continueWith', { name })}</a></p>
`
}

function renderPasswordForm(input: SignInPage): SafeHtml {
  const {
    csrf,
    next,
    email = '',
    errors = {},
    isRegistrationOpen,
    canSendMail,
    hasPasskeys,
  } = input
  return html`<form method="post" action="/console/sign-in">
${csrfField(csrf)}
${next ? html`<input type="hidden" name="next" value="${next}">` : null}
${field({
  name: 'email',
  label: t('shell.fields.email'),
  type: 'email',
  autocomplete: 'username',
  value: email,
  maxLength: 254,
  autofocus: !errors.password,
})}
${field({
  name: 'password',
  label: t('shell.fields.password'),
  type: 'password',
  autocomplete: 'current-password',
  ...(errors.password && { error: errors.password }),
  autofocus: Boolean(errors.password),
})}
<button class="button full">${t('signIn.button')}</button>
</form>
${hasPasskeys ? renderPasskeyButton(csrf, next) : null}
<p class="small soft">${
    canSendMail
      ? html`<a href="/console/forgot-password">${t('signIn.forgot')}</a>`
      : t('signIn.askAdmin')
  }</p>
${isRegistrationOpen ? html`<p class="small soft">${t('signIn.noAccount')} <a href="/register">${t('signIn.register')}</a></p>` : null}`
}
