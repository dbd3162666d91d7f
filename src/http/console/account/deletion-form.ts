import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField, field } from '../../../pages/field.ts'
import { confirmationField } from '../shell/confirmation-field.ts'
import type { Frame } from '../shell/layout.ts'

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
  /** The username typed before. A password is never sent back. */
  typed?: string | undefined
  /** The error and the name of its field. */
  fault?: { field: string; text: string } | undefined
}

const FIELDS = ['username', 'deletionPassword']

/** Renders the collapsed form that deletes an account. */
export function accountDeletion(deletion: AccountDeletion): SafeHtml {
  const { frame, action, username, note, typed = '', fault } = deletion
  const isWrong = FIELDS.some((name) => name === fault?.field)
  const errorOf = (name: string) =>
    fault?.field === name ? { error: fault.text, autofocus: true } : {}
  return html`<section class="panel" aria-labelledby="end">
<h2 id="end">Delete this account</h2>
<p class="soft">This permanently deletes its links, statistics, QR codes, pages, domains and API keys. ${note}</p>
<details${isWrong ? html` open` : null}><summary>Delete account …</summary>
<form method="post" action="${action}">${csrfField(frame.csrf)}
${field({
  name: 'username',
  label: 'Username',
  autocomplete: 'off',
  value: typed,
  hint: `Type ${username} to confirm.`,
  ...errorOf('username'),
})}
${confirmationField(frame, {
  name: 'deletionPassword',
  label: 'Password to confirm',
  error: errorOf('deletionPassword').error,
})}
<p class="actions"><button class="button danger">Delete account</button></p>
</form></details>
</section>`
}
