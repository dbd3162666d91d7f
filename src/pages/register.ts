import { html } from '@remix-run/html-template'
import { csrfField, emailField, field } from './field.ts'
import { page } from './layout.ts'
import { timeZoneField } from './time-zone-field.ts'

export type RegisterPage = {
  nonce: string
  csrf: string
  /** Typed values. A password is never sent back. */
  values?: { email?: string; username?: string }
  /** Errors by field. `form` is for all others. */
  errors?: { email?: string; username?: string; password?: string; form?: string }
  /** The identity provider, if there is one. */
  provider?: { name: string; href: string } | undefined
}

/**
 * Renders the registration form. Posts `csrf`, `email`, `username`, `password` and `timeZone` to
 * `/register`. Needs only the default Content-Security-Policy.
 */
export function registerPage({
  nonce,
  csrf,
  values = {},
  errors = {},
  provider,
}: RegisterPage): string {
  return page({
    title: 'Create an account',
    nonce,
    body: html`<h1>Create an account</h1>
${errors.form ? html`<p class="notice" role="alert">${errors.form}</p>` : null}
${provider ? html`<p><a class="button quiet full" href="${provider.href}">Continue with ${provider.name}</a></p>` : null}
<form method="post" action="/register">
${csrfField(csrf)}
${timeZoneField(nonce)}
${emailField(values, errors)}
${field({
  name: 'username',
  label: 'Username',
  autocomplete: 'username',
  value: values.username,
  error: errors.username,
  hint: 'Used in your public URLs.',
})}
${field({
  name: 'password',
  label: 'Password',
  type: 'password',
  autocomplete: 'new-password',
  error: errors.password,
  hint: 'At least 8 characters.',
  minLength: 8,
  maxLength: 200,
})}
<button class="button full">Create account</button>
</form>`,
  })
}
