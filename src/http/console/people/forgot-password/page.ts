import { html } from '@remix-run/html-template'
import { csrfField, field } from '../../../../pages/field.ts'
import { t } from '../../../../texts.ts'
import { renderPlainPage } from '../../shell/plain-page.ts'

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
    title: t('forgotPassword.title'),
    nonce,
    body: html`<h1>${t('forgotPassword.title')}</h1>
<p class="soft">${t('forgotPassword.intro')}</p>
${errors.form ? html`<p class="notice" role="alert">${errors.form}</p>` : null}
<form method="post" action="/console/forgot-password">
${csrfField(csrf)}
${field({
  name: 'email',
  label: t('shell.fields.email'),
  type: 'email',
  autocomplete: 'username',
  value: email ?? '',
  maxLength: 254,
  autofocus: true,
  ...(errors.email && { error: errors.email }),
})}
<button class="button full">${t('forgotPassword.button')}</button>
</form>
<p class="small soft"><a href="/console/sign-in">${t('forgotPassword.signIn')}</a></p>`,
  })
}

/** Renders the confirmation, which is the same for known and unknown email addresses. */
export function renderResetSentPage({ nonce }: { nonce: string }): string {
  return renderPlainPage({
    title: t('forgotPassword.title'),
    nonce,
    body: html`<h1>${t('forgotPassword.sentTitle')}</h1>
<p class="soft">${t('forgotPassword.sent')}</p>
<p class="soft">${t('forgotPassword.sentHint')}</p>
<p class="actions"><a class="button" href="/console/sign-in">${t('forgotPassword.back')}</a></p>`,
  })
}
