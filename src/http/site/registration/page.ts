import { html } from '@remix-run/html-template'
import { csrfField, emailField, field } from '../../../pages/field.ts'
import { page } from '../../../pages/layout.ts'
import { timeZoneField } from '../../../pages/time-zone-field.ts'
import { getLanguage, t } from '../../../texts.ts'

export type RegisterPage = {
  nonce: string
  csrf: string
  /** The submitted values, without the password, which is never sent back. */
  values?: { email?: string; username?: string }
  /** Errors by field. `form` is for all other errors. */
  errors?: { email?: string; username?: string; password?: string; form?: string }
  /** The identity provider, if there is one. */
  provider?: { name: string; href: string } | undefined
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
${emailField(values, errors, t('registration.email'))}
${field({
  name: 'username',
  label: t('registration.username'),
  autocomplete: 'username',
  value: values.username,
  error: errors.username,
  hint: t('registration.usernameHint'),
})}
${field({
  name: 'password',
  label: t('registration.password'),
  type: 'password',
  autocomplete: 'new-password',
  error: errors.password,
  hint: t('registration.passwordHint'),
  minLength: 8,
  maxLength: 200,
})}
<button class="button full">${t('registration.button')}</button>
</form>`,
  })
}
