import { html } from '@remix-run/html-template'
import { csrfField, field } from '../../../pages/field.ts'
import { shellMessages } from '../shell/messages.ts'
import { renderPlainPage } from '../shell/plain-page.ts'
import { signInMessages } from './messages.ts'

const { reset: messages } = signInMessages

export type ResetPasswordPage = {
  nonce: string
  csrf: string
  /** The user's email address. */
  email: string
  /** Errors. A password is never sent back. */
  errors?: { newPassword?: string; form?: string }
}

/**
 * Renders the form of a reset link. Posts `csrf` and `newPassword` to its own URL, which contains
 * the token.
 */
export function renderResetPasswordPage({
  nonce,
  csrf,
  email,
  errors = {},
}: ResetPasswordPage): string {
  return renderPlainPage({
    title: messages.title,
    nonce,
    body: html`<h1>${messages.title}</h1>
<p class="soft">${messages.intro(email)}</p>
${errors.form ? html`<p class="notice" role="alert">${errors.form}</p>` : null}
<form method="post">
${csrfField(csrf)}
<input type="text" name="email" value="${email}" autocomplete="username" readonly hidden>
${field({
  name: 'newPassword',
  label: messages.newPassword,
  type: 'password',
  autocomplete: 'new-password',
  minLength: 8,
  hint: shellMessages.fields.passwordHint,
  ...(errors.newPassword && { error: errors.newPassword }),
  autofocus: true,
})}
<button class="button full">${messages.button}</button>
</form>`,
  })
}

/** Renders the page of an unusable reset link. `text` is the reason. */
export function renderResetRejectedPage({ nonce, text }: { nonce: string; text: string }): string {
  return renderPlainPage({
    title: messages.title,
    nonce,
    body: html`<h1>${signInMessages.linkInvalid}</h1>
<p class="soft">${text}</p>
<p class="actions"><a class="button" href="/console/sign-in">${signInMessages.button}</a></p>`,
  })
}
