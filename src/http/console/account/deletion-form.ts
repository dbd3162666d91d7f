import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField, field } from '../../../pages/field.ts'
import { t } from '../../../texts.ts'
import { renderConfirmationField } from '../kit/confirmation.ts'
import type { FieldError } from '../shell/field-error.ts'
import type { Frame } from '../shell/layout.ts'

/**
 * The form that deletes an account. It requires the account's username and the password of the
 * signed-in user. A user without a password must have signed in recently instead.
 */
export type AccountDeletion = {
  frame: Frame
  /** The path that the form posts to. */
  action: string
  /** The username of the account. */
  username: string
  /** A sentence about further consequences. */
  note: string
  /** The submitted username of a rejected form. Passwords are never sent back. */
  input?: string | undefined
  /** The error and the name of its field. Errors of other fields are ignored. */
  fieldError?: FieldError | undefined
}

const FIELDS = ['username', 'deletionPassword']

/** Renders the form that deletes an account, collapsed unless it has an error. */
export function renderDeletionForm(deletion: AccountDeletion): SafeHtml {
  const { frame, action, username, note, input = '', fieldError } = deletion
  const hasError = FIELDS.some((name) => name === fieldError?.field)
  const toErrorAttributes = (name: string) =>
    fieldError?.field === name ? { error: fieldError.text, autofocus: true } : {}
  return html`<section class="panel" aria-labelledby="deletion">
<h2 id="deletion">${t('account.deletion.title')}</h2>
<p class="soft">${t('account.deletion.text')} ${note}</p>
<details${hasError ? html` open` : null}><summary>${t('account.deletion.summary')}</summary>
<form method="post" action="${action}">${csrfField(frame.csrf)}
${field({
  name: 'username',
  label: t('account.deletion.username'),
  autocomplete: 'off',
  value: input,
  hint: t('account.deletion.usernameHint', { username }),
  ...toErrorAttributes('username'),
})}
${renderConfirmationField(frame, {
  name: 'deletionPassword',
  label: t('account.deletion.password'),
  error: toErrorAttributes('deletionPassword').error,
})}
<p class="actions"><button class="button danger">${t('account.deletion.button')}</button></p>
</form></details>
</section>`
}
