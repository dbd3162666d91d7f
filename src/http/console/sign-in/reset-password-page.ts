import { html } from '@remix-run/html-template'
import { csrfField, field } from '../../../pages/field.ts'
import { t } from '../../../texts.ts'
import { renderPlainPage } from '../shell/plain-page.ts'

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
    title: t('signIn.reset.title'),
    nonce,
    body: html`<h1>${t('signIn.reset.title')}</h1>
<p class="soft">${t('signIn.reset.intro', { email })}</p>
${errors.form ? html`<p class="notice" role="alert">${errors.form}</p>` : null}
<form method="post">
${csrfField(csrf)}
<input type="text" name="email" value="${email}" autocomplete="username" readonly hidden>
${field({
  name: 'newPassword',
  label: t('signIn.reset.newPassword'),
  type: 'password',
  autocomplete: 'new-password',
  minLength: 8,
  hint: t('shell.fields.passwordHint'),
  ...(errors.newPassword && { error: errors.newPassword }),
  autofocus: true,
})}
<button class="button full">${t('signIn.reset.button')}</button>
</form>`,
  })
}

/** Renders the page of an unusable reset link. `text` is the reason. */
export function renderResetRejectedPage({ nonce, text }: { nonce: string; text: string }): string {
  return renderPlainPage({
    title: t('signIn.reset.title'),
    nonce,
    body: html`<h1>${t('signIn.linkInvalid')}</h1>
<p class="soft">${text}</p>
<p class="actions"><a class="button" href="/console/sign-in">${t('signIn.button')}</a></p>`,
  })
}
