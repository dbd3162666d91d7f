import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField, field } from '../../../pages/field.ts'
import { page } from '../../../pages/layout.ts'
import { oidcMessages } from '../oidc/messages.ts'
import { passkeyButton } from '../second-factor/passkey-form.ts'

export type SignInPage = {
  nonce: string
  csrf: string
  /** The console path to continue to. */
  next?: string | undefined
  /** The email address typed before. A password is never sent back. */
  email?: string
  errors?: { password?: string; form?: string }
  registrationOpen: boolean
  /** Whether reset links can be mailed. */
  sendsMail: boolean
  /** Whether browsers offer passkeys for this service. */
  hasPasskeys: boolean
  /** Whether people sign in with a password. */
  passwords: boolean
  /** The name of the identity provider, if there is one. */
  provider: string | undefined
}

/** Renders the sign-in form. Posts `csrf`, `next`, `email` and `password`. */
export function signInPage(input: SignInPage): string {
  const { nonce, next, errors = {}, passwords, provider } = input
  return page({
    title: 'Sign in – Brevis',
    nonce,
    body: html`<h1>Sign in</h1>
${errors.form ? html`<p class="notice" role="alert">${errors.form}</p>` : null}
${provider === undefined ? null : providerLink(provider, next, passwords)}
${passwords ? passwordForm(input) : null}`,
  })
}

function providerLink(name: string, next: string | undefined, passwords: boolean): SafeHtml {
  const query = next ? `?${new URLSearchParams({ next })}` : ''
  const style = passwords ? 'button quiet full' : 'button full'
  return html`<p><a class="${style}" href="/console/oidc/start${query}">${oidcMessages.continueWith(name)}</a></p>
`
}

function passwordForm(input: SignInPage): SafeHtml {
  const { csrf, next, email = '', errors = {}, registrationOpen, sendsMail, hasPasskeys } = input
  return html`<form method="post" action="/console/sign-in">
${csrfField(csrf)}
${next ? html`<input type="hidden" name="next" value="${next}">` : null}
${field({
  name: 'email',
  label: 'Email',
  type: 'email',
  autocomplete: 'username',
  value: email,
  maxLength: 254,
  autofocus: !errors.password,
})}
${field({
  name: 'password',
  label: 'Password',
  type: 'password',
  autocomplete: 'current-password',
  ...(errors.password && { error: errors.password }),
  autofocus: Boolean(errors.password),
})}
<button class="button full">Sign in</button>
</form>
${hasPasskeys ? passkeyButton(csrf, next) : null}
<p class="small soft">${
    sendsMail
      ? html`<a href="/console/forgot-password">Forgot password?</a>`
      : 'Forgot your password? Ask your admin for a reset link.'
  }</p>
${registrationOpen ? html`<p class="small soft">No account yet? <a href="/register">Create an account</a></p>` : null}`
}
