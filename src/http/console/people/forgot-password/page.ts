import { html } from '@remix-run/html-template'
import { csrfField, field } from '../../../../pages/field.ts'
import { page } from '../../../../pages/layout.ts'

const TITLE = 'Forgot password'

type ForgotPasswordPage = {
  nonce: string
  csrf: string
  email?: string
  errors?: { email?: string; form?: string }
}

/** Renders the form that requests a reset link by mail. Posts `csrf` and `email`. */
export function forgotPasswordPage({
  nonce,
  csrf,
  email,
  errors = {},
}: ForgotPasswordPage): string {
  return page({
    title: `${TITLE} – Brevis`,
    nonce,
    body: html`<h1>${TITLE}</h1>
<p class="soft">Enter your email, and we'll send you a link to set a new password.</p>
${errors.form ? html`<p class="notice" role="alert">${errors.form}</p>` : null}
<form method="post" action="/console/forgot-password">
${csrfField(csrf)}
${field({
  name: 'email',
  label: 'Email',
  type: 'email',
  autocomplete: 'username',
  value: email ?? '',
  maxLength: 254,
  autofocus: true,
  ...(errors.email && { error: errors.email }),
})}
<button class="button full">Send reset link</button>
</form>
<p class="small soft"><a href="/console/sign-in">Sign in</a></p>`,
  })
}

/** Renders the confirmation, which is the same for known and unknown addresses. */
export function resetSentPage({ nonce }: { nonce: string }): string {
  return page({
    title: `${TITLE} – Brevis`,
    nonce,
    body: html`<h1>Check your email</h1>
<p class="soft">If there's an account for that address, we've sent a link to set a new password. It works for one hour.</p>
<p class="soft">Nothing after a few minutes? Check your spam folder and the address, then try again.</p>
<p class="actions"><a class="button" href="/console/sign-in">Back to sign-in</a></p>`,
  })
}
