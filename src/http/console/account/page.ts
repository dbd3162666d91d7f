import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField, type Field, field } from '../../../pages/field.ts'
import { secondFactorPanel } from '../second-factor/account-panel.ts'
import { confirmationField } from '../shell/confirmation-field.ts'
import { consolePage, type Frame } from '../shell/layout.ts'
import { accountDeletion } from './deletion-form.ts'

export type ShownSession = {
  id: number
  browser: string | null
  begun: string
  lastUsed: string
  /** Whether it is the one that asks. */
  isThis: boolean
}

export type AccountForm = {
  /** What was typed and may be shown again; passwords may not. */
  typed?: { email?: string; username?: string }
  /** What is wrong, and the name of the field where it is; `form` for the whole. */
  fault?: { field: string; text: string }
  /** What was done just now. */
  done?: string | undefined
}

export type AccountPage = {
  email: string
  username: string
  /** Whether the account has no other owner. */
  isLastOwner: boolean
  sessions: readonly ShownSession[]
  form: AccountForm
}

/** A person's own account. */
export function accountPage(frame: Frame, account: AccountPage): string {
  const { fault, done } = account.form
  return consolePage(frame, {
    title: 'Account',
    section: '/console/account',
    body: html`<h1>Account</h1>
${done ? html`<p class="inset" role="status">${done}</p>` : null}
${fault?.field === 'form' ? html`<p class="notice" role="alert">${fault.text}</p>` : null}
<div class="columns">
${emailForm(frame, account)}
${frame.confirmsByPassword ? passwordForm(frame, account) : null}
</div>
${frame.confirmsByPassword ? secondFactorPanel() : null}
${sessionList(frame, account)}
${frame.role === 'viewer' ? null : exports()}
${account.isLastOwner ? null : leaving(frame, account)}
${frame.role === 'owner' ? deletion(frame, account) : null}`,
  })
}

function exports(): SafeHtml {
  return html`<section class="panel" aria-labelledby="export">
<h2 id="export">Export</h2>
<p class="soft">Download all links. JSONL includes daily statistics; CSV is for spreadsheets.</p>
<p class="actions"><a class="button quiet" href="/console/account/links.jsonl" download>Export as JSONL</a> <a class="button quiet" href="/console/account/links.csv" download>Export as CSV</a></p>
</section>`
}

/** Renders the forms for leaving the account. The last owner cannot leave. */
function leaving(frame: Frame, { username, form }: AccountPage): SafeHtml {
  return html`<div class="columns">
<section class="panel" aria-labelledby="leave">
<h2 id="leave">Leave ${username}</h2>
<p class="soft">You lose access to this account. Its links stay.</p>
<form method="post" action="/console/account/leave">${csrfField(frame.csrf)}
<p class="actions"><button class="button danger">Leave account</button></p>
</form>
</section>
<section class="panel" aria-labelledby="user">
<h2 id="user">Delete your user</h2>
<p class="soft">You lose access to all accounts. Their links stay.</p>
<form method="post" action="/console/account/delete-user">${csrfField(frame.csrf)}
${confirmationField(frame, {
  name: 'userPassword',
  label: 'Your password',
  error: errorOf(form, 'userPassword'),
})}
<p class="actions"><button class="button danger">Delete user</button></p>
</form>
</section>
</div>`
}

function emailForm(frame: Frame, { email, form }: AccountPage): SafeHtml {
  return html`<section class="panel" aria-labelledby="address">
<h2 id="address">Email</h2>
<form method="post" action="/console/account/email">${csrfField(frame.csrf)}
${fieldOf(form, {
  name: 'email',
  label: 'Email',
  type: 'email',
  autocomplete: 'email',
  value: form.typed?.email ?? email,
  hint: 'Used to sign in.',
})}
${confirmationField(frame, {
  name: 'yourPassword',
  label: 'Your password',
  error: errorOf(form, 'yourPassword'),
})}
<p class="actions"><button class="button">Save</button></p>
</form>
</section>`
}

function passwordForm({ csrf }: Frame, { form }: AccountPage): SafeHtml {
  return html`<section class="panel" aria-labelledby="secret">
<h2 id="secret">Password</h2>
<form method="post" action="/console/account/password">${csrfField(csrf)}
${fieldOf(form, {
  name: 'currentPassword',
  label: 'Current password',
  type: 'password',
  autocomplete: 'current-password',
})}
${fieldOf(form, {
  name: 'newPassword',
  label: 'New password',
  type: 'password',
  autocomplete: 'new-password',
  minLength: 8,
  hint: '8 to 200 characters. All other browsers are signed out.',
})}
<p class="actions"><button class="button">Change password</button></p>
</form>
</section>`
}

function sessionList({ csrf }: Frame, { sessions }: AccountPage): SafeHtml {
  const others = sessions.filter(({ isThis }) => !isThis)
  return html`<section class="panel" aria-labelledby="sessions">
<h2 id="sessions">Active sessions</h2>
<table class="cards">
<thead><tr><th scope="col">Browser</th><th scope="col">Signed in</th><th scope="col">Last used</th><th scope="col"><span class="hidden-text">Actions</span></th></tr></thead>
<tbody>${sessions.map((session) => sessionRow(csrf, session))}</tbody>
</table>
${
  others.length > 0
    ? html`<form method="post" action="/console/account/sessions/end-others">${csrfField(csrf)}
<button class="button quiet">Sign out all other sessions</button>
</form>`
    : null
}
</section>`
}

function sessionRow(csrf: string, session: ShownSession): SafeHtml {
  const { id, browser, begun, lastUsed, isThis } = session
  const name = browser ?? 'Unknown browser'
  return html`<tr>
<th scope="row">${name}</th>
<td data-label="Signed in">${begun}</td>
<td data-label="Last used">${lastUsed}</td>
<td>${
    isThis
      ? 'This browser'
      : html`<form class="in-row" method="post" action="/console/account/sessions/${id}/end">${csrfField(csrf)}<button class="button quiet small">Sign out<span class="hidden-text"> ${name}, last used ${lastUsed}</span></button></form>`
  }</td>
</tr>`
}

function deletion(frame: Frame, { username, form }: AccountPage): SafeHtml {
  const { typed, fault } = form
  return accountDeletion({
    frame,
    username,
    action: '/console/account/delete',
    note: 'Shared short links stop working.',
    typed: typed?.username,
    fault,
  })
}

function errorOf({ fault }: AccountForm, name: string): string | undefined {
  return fault?.field === name ? fault.text : undefined
}

function fieldOf({ fault }: AccountForm, options: Field): SafeHtml {
  const isWrong = fault?.field === options.name
  return field({ ...options, ...(isWrong && { error: fault.text, autofocus: true }) })
}
