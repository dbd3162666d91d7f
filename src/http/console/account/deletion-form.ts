import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField, field } from '../../../pages/field.ts'
import { renderConfirmationField } from '../shell/confirmation-field.ts'
import type { Frame } from '../shell/layout.ts'
import { accountMessages } from './messages.ts'

const { deletion: texts } = accountMessages

/**
 * The form that deletes an account. It asks for the username and the password of the signed-in
 * user.
 */
export type AccountDeletion = {
  frame: Frame
  /** The URL that the form posts to. */
  action: string
  username: string
  /** An additional note for the user. */
  note: string
  /** The username that the user entered. Passwords are never sent back. */
  input?: string | undefined
  /** The error and the name of its field. */
  fieldError?: { field: string; text: string } | undefined
}

const FIELDS = ['username', 'deletionPassword']

/** Renders the collapsed form that deletes an account. */
export function renderDeletionForm(deletion: AccountDeletion): SafeHtml {
  const { frame, action, username, note, input = '', fieldError } = deletion
  const isWrong = FIELDS.some((name) => name === fieldError?.field)
  const toErrorAttributes = (name: string) =>
    fieldError?.field === name ? { error: fieldError.text, autofocus: true } : {}
  return html`<section class="panel" aria-labelledby="end">
<h2 id="end">${texts.title}</h2>
<p class="soft">${texts.text} ${note}</p>
<details${isWrong ? html` open` : null}><summary>${texts.summary}</summary>
<form method="post" action="${action}">${csrfField(frame.csrf)}
${field({
  name: 'username',
  label: texts.username,
  autocomplete: 'off',
  value: input,
  hint: texts.usernameHint(username),
  ...toErrorAttributes('username'),
})}
${renderConfirmationField(frame, {
  name: 'deletionPassword',
  label: texts.password,
  error: toErrorAttributes('deletionPassword').error,
})}
<p class="actions"><button class="button danger">${texts.button}</button></p>
</form></details>
</section>`
}
