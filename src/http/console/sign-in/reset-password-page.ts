import { html } from '@remix-run/html-template'
import { csrfField, field } from '../../../pages/field.ts'
import { page } from '../../../pages/layout.ts'

export type ResetPasswordPage = {
  nonce: string
  csrf: string
  /** Whose password is set. */
  email: string
  /** What is wrong; a password is never sent back. */
  errors?: { newPassword?: string; form?: string }
}

/**
 * The form that a reset link opens. It posts `csrf` and `newPassword` to its own URL, which holds the token.
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

/** The page of a reset link that cannot be used: `text` says why. */
export function resetRefusedPage({ nonce, text }: { nonce: string; text: string }): string {
  return page({
    title: 'Set a new password – Brevis',
    nonce,
    body: html`<h1>This link doesn't work</h1>
<p class="soft">${text}</p>
<p class="actions"><a class="button" href="/console/sign-in">Sign in</a></p>`,
  })
}
