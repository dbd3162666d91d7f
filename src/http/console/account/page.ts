import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField, type Field, field } from '../../../pages/field.ts'
import { renderSecondFactorPanel } from '../second-factor/account-panel.ts'
import { renderConfirmationField } from '../shell/confirmation-field.ts'
import { type Frame, renderConsolePage } from '../shell/layout.ts'
import { shellMessages } from '../shell/messages.ts'
import { renderDeletionForm } from './deletion-form.ts'
import { accountMessages as messages } from './messages.ts'

export type SessionView = {
  id: number
  browser: string | null
  begun: string
  lastUsed: string
  /** Whether this is the current session. */
  isThis: boolean
}

export type AccountForm = {
  /** The submitted values, without passwords. */
  input?: { email?: string; username?: string }
  /** The error and the name of its field, or `form`. */
  fieldError?: { field: string; text: string }
  /** The confirmation of the last action. */
  done?: string | undefined
}

export type AccountPage = {
  email: string
  username: string
  /** Whether the account has no other owner. */
  isLastOwner: boolean
  sessions: readonly SessionView[]
  form: AccountForm
}

/** Renders the user's account. */
export function renderAccountPage(frame: Frame, account: AccountPage): string {
  const { fieldError, done } = account.form
  return renderConsolePage(frame, {
    title: messages.title,
    section: '/console/account',
    body: html`<h1>${messages.title}</h1>
${done ? html`<p class="inset" role="status">${done}</p>` : null}
${fieldError?.field === 'form' ? html`<p class="notice" role="alert">${fieldError.text}</p>` : null}
<div class="columns">
${renderEmailForm(frame, account)}
${frame.confirmsByPassword ? renderPasswordForm(frame, account) : null}
</div>
${frame.confirmsByPassword ? renderSecondFactorPanel() : null}
${renderSessionList(frame, account)}
${frame.role === 'viewer' ? null : renderExportPanel()}
${account.isLastOwner ? null : renderLeaveForm(frame, account)}
${frame.role === 'owner' ? renderDeletionPanel(frame, account) : null}`,
  })
}

function renderExportPanel(): SafeHtml {
  const { title, text, jsonl, csv } = messages.export
  return html`<section class="panel" aria-labelledby="export">
<h2 id="export">${title}</h2>
<p class="soft">${text}</p>
<p class="actions"><a class="button quiet" href="/console/account/links.jsonl" download>${jsonl}</a> <a class="button quiet" href="/console/account/links.csv" download>${csv}</a></p>
</section>`
}

/** Renders the forms for leaving the account. The last owner cannot leave. */
function renderLeaveForm(frame: Frame, { username, form }: AccountPage): SafeHtml {
  const { leave, deleteUser } = messages
  return html`<div class="columns">
<section class="panel" aria-labelledby="leave">
<h2 id="leave">${leave.title(username)}</h2>
<p class="soft">${leave.text}</p>
<form method="post" action="/console/account/leave">${csrfField(frame.csrf)}
<p class="actions"><button class="button danger">${leave.button}</button></p>
</form>
</section>
<section class="panel" aria-labelledby="user">
<h2 id="user">${deleteUser.title}</h2>
<p class="soft">${deleteUser.text}</p>
<form method="post" action="/console/account/delete-user">${csrfField(frame.csrf)}
${renderConfirmationField(frame, {
  name: 'userPassword',
  label: shellMessages.fields.yourPassword,
  error: findError(form, 'userPassword'),
})}
<p class="actions"><button class="button danger">${deleteUser.button}</button></p>
</form>
</section>
</div>`
}

function renderEmailForm(frame: Frame, { email, form }: AccountPage): SafeHtml {
  return html`<section class="panel" aria-labelledby="address">
<h2 id="address">${shellMessages.fields.email}</h2>
<form method="post" action="/console/account/email">${csrfField(frame.csrf)}
${renderField(form, {
  name: 'email',
  label: shellMessages.fields.email,
  type: 'email',
  autocomplete: 'email',
  value: form.input?.email ?? email,
  hint: messages.email.hint,
})}
${renderConfirmationField(frame, {
  name: 'yourPassword',
  label: shellMessages.fields.yourPassword,
  error: findError(form, 'yourPassword'),
})}
<p class="actions"><button class="button">${messages.email.button}</button></p>
</form>
</section>`
}

function renderPasswordForm({ csrf }: Frame, { form }: AccountPage): SafeHtml {
  return html`<section class="panel" aria-labelledby="secret">
<h2 id="secret">${shellMessages.fields.password}</h2>
<form method="post" action="/console/account/password">${csrfField(csrf)}
${renderField(form, {
  name: 'currentPassword',
  label: messages.password.current,
  type: 'password',
  autocomplete: 'current-password',
})}
${renderField(form, {
  name: 'newPassword',
  label: messages.password.new,
  type: 'password',
  autocomplete: 'new-password',
  minLength: 8,
  hint: messages.password.hint,
})}
<p class="actions"><button class="button">${messages.password.button}</button></p>
</form>
</section>`
}

function renderSessionList({ csrf }: Frame, { sessions }: AccountPage): SafeHtml {
  const { title, browser, begun, lastUsed, endOthers } = messages.sessions
  const others = sessions.filter(({ isThis }) => !isThis)
  return html`<section class="panel" aria-labelledby="sessions">
<h2 id="sessions">${title}</h2>
<table class="cards">
<thead><tr><th scope="col">${browser}</th><th scope="col">${begun}</th><th scope="col">${lastUsed}</th><th scope="col"><span class="hidden-text">${shellMessages.actions}</span></th></tr></thead>
<tbody>${sessions.map((session) => renderSessionRow(csrf, session))}</tbody>
</table>
${
  others.length > 0
    ? html`<form method="post" action="/console/account/sessions/end-others">${csrfField(csrf)}
<button class="button quiet">${endOthers}</button>
</form>`
    : null
}
</section>`
}

function renderSessionRow(csrf: string, session: SessionView): SafeHtml {
  const { id, browser, begun, lastUsed, isThis } = session
  const texts = messages.sessions
  const name = browser ?? texts.unknown
  return html`<tr>
<th scope="row">${name}</th>
<td data-label="${texts.begun}">${begun}</td>
<td data-label="${texts.lastUsed}">${lastUsed}</td>
<td>${
    isThis
      ? texts.this
      : html`<form class="in-row" method="post" action="/console/account/sessions/${id}/end">${csrfField(csrf)}<button class="button quiet small">${texts.end}<span class="hidden-text"> ${texts.endName(name, lastUsed)}</span></button></form>`
  }</td>
</tr>`
}

function renderDeletionPanel(frame: Frame, { username, form }: AccountPage): SafeHtml {
  const { input, fieldError } = form
  return renderDeletionForm({
    frame,
    username,
    action: '/console/account/delete',
    note: messages.deletion.note,
    input: input?.username,
    fieldError,
  })
}

function findError({ fieldError }: AccountForm, name: string): string | undefined {
  return fieldError?.field === name ? fieldError.text : undefined
}

function renderField({ fieldError }: AccountForm, options: Field): SafeHtml {
  const isWrong = fieldError?.field === options.name
  return field({ ...options, ...(isWrong && { error: fieldError.text, autofocus: true }) })
}
