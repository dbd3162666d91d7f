import { html } from '@remix-run/html-template'
import { csrfField, field } from '../../../pages/field.ts'
import { page } from '../../../pages/layout.ts'

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
export function resetPasswordPage({ nonce, csrf, email, errors = {} }: ResetPasswordPage): string {
  return page({
    title: 'Set a new password – Brevis',
    nonce,
    body: html`<h1>Set a new password</h1>
<p class="soft">For ${email}. You'll be signed in here and signed out everywhere else.</p>
${errors.form ? html`<p class="notice" role="alert">${errors.form}</p>` : null}
<form method="post">
${csrfField(csrf)}
<input type="text" name="email" value="${email}" autocomplete="username" readonly hidden>
${field({
  name: 'newPassword',
  label: 'New password',
  type: 'password',
  autocomplete: 'new-password',
  minLength: 8,
  hint: '8 to 200 characters.',
  ...(errors.newPassword && { error: errors.newPassword }),
  autofocus: true,
})}
<button class="button full">Set password</button>
</form>`,
  })
}

/** Renders the page of an unusable reset link. `text` is the reason. */
export function resetRefusedPage({ nonce, text }: { nonce: string; text: string }): string {
  return page({
    title: 'Set a new password – Brevis',
    nonce,
    body: html`<h1>This link doesn't work</h1>
<p class="soft">${text}</p>
<p class="actions"><a class="button" href="/console/sign-in">Sign in</a></p>`,
  })
}
