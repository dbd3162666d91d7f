import { html } from '@remix-run/html-template'
import { csrfField, field } from '../../../../pages/field.ts'
import { shellMessages } from '../../shell/messages.ts'
import { renderPlainPage } from '../../shell/plain-page.ts'
import { forgotPasswordMessages as messages } from './messages.ts'

type ForgotPasswordPage = {
  nonce: string
  csrf: string
  email?: string
  errors?: { email?: string; form?: string }
}

/** Renders the form that requests a reset link by email. Posts `csrf` and `email`. */
export function renderForgotPasswordPage({
  nonce,
  csrf,
  email,
  errors = {},
}: ForgotPasswordPage): string {
  return renderPlainPage({
    title: messages.title,
    nonce,
    body: html`<h1>${messages.title}</h1>
<p class="soft">${messages.intro}</p>
${errors.form ? html`<p class="notice" role="alert">${errors.form}</p>` : null}
<form method="post" action="/console/forgot-password">
${csrfField(csrf)}
${field({
  name: 'email',
  label: shellMessages.fields.email,
  type: 'email',
  autocomplete: 'username',
  value: email ?? '',
  maxLength: 254,
  autofocus: true,
  ...(errors.email && { error: errors.email }),
})}
<button class="button full">${messages.button}</button>
</form>
<p class="small soft"><a href="/console/sign-in">${messages.signIn}</a></p>`,
  })
}

/** Renders the confirmation, which is the same for known and unknown email addresses. */
export function renderResetSentPage({ nonce }: { nonce: string }): string {
  return renderPlainPage({
    title: messages.title,
    nonce,
    body: html`<h1>${messages.sentTitle}</h1>
<p class="soft">${messages.sent}</p>
<p class="soft">${messages.sentHint}</p>
<p class="actions"><a class="button" href="/console/sign-in">${messages.back}</a></p>`,
  })
}
