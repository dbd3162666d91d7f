import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField, field } from '../field.ts'

/** The form that ends an account, which asks for its username. */
export type AccountDeletion = {
  csrf: string
  /** Where it is sent. */
  action: string
  username: string
  /** What is to be known beside what goes with the account. */
  note: string
  /** What was typed before, and what was wrong with it. */
  typed?: string | undefined
  error?: string | undefined
}

/** The end of an account, closed until somebody wants it. */
export function accountDeletion(deletion: AccountDeletion): SafeHtml {
  const { csrf, action, username, note, typed = '', error } = deletion
  return html`<section class="panel" aria-labelledby="end">
<h2 id="end">Delete this account</h2>
<p class="soft">Everything that it owns goes with it for good: links and what was counted of them, codes, pages, domains and keys. ${note}</p>
<details${error ? html` open` : null}><summary>Delete the account …</summary>
<form method="post" action="${action}">${csrfField(csrf)}
${field({
  name: 'username',
  label: 'Username',
  autocomplete: 'off',
  value: typed,
  hint: `Type ${username} to say that you mean it.`,
  ...(error && { error, autofocus: true }),
})}
<p class="actions"><button class="button danger">Delete account</button></p>
</form></details>
</section>`
}
