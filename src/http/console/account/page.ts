import { html, type SafeHtml } from '@remix-run/html-template'
import type { StorageUsage } from '../../../accounts/storage.ts'
import { csrfField } from '../../../pages/field.ts'
import { t } from '../../../texts.ts'
import { renderConfirmationField } from '../kit/confirmation.ts'
import { renderSecondFactorPanel } from '../second-factor/account-panel.ts'
import { type FieldError, findError, renderField } from '../shell/field-error.ts'
import { formatBytes } from '../shell/format-count.ts'
import { type Frame, renderConsolePage } from '../shell/layout.ts'
import { renderDeletionForm } from './deletion-form.ts'

export type SessionView = {
  id: number
  /** The name of the browser, if it is known. */
  browser: string | null
  /** The formatted times of the sign-in and of the last request. */
  signedIn: string
  lastUsed: string
  /** Whether this is the current session. */
  isCurrent: boolean
}

export type AccountForm = {
  /** The submitted values of a rejected form, without passwords. */
  input?: { email?: string; username?: string }
  /** The error and the name of its field, or `form`. */
  fieldError?: FieldError
  /** The confirmation of the last action. */
  done?: string | undefined
}

export type AccountPage = {
  /** The user's email. */
  email: string
  /** The account's name. */
  username: string
  /** Whether the user is the only owner of the account. */
  isLastOwner: boolean
  sessions: readonly SessionView[]
  /** Undefined for members who are not owners. */
  storage: StorageUsage | undefined
  form: AccountForm
}

/**
 * Renders the page of the user and the current account. Users without a password get no password and
 * second-factor panels, viewers no export, and only owners can delete the account.
 */
export function renderAccountPage(frame: Frame, account: AccountPage): string {
  const { fieldError, done } = account.form
  return renderConsolePage(frame, {
    title: t('account.title'),
    section: '/console/account',
    body: html`<h1>${t('account.title')}</h1>
${done ? html`<p class="inset" role="status">${done}</p>` : null}
${fieldError?.field === 'form' ? html`<p class="notice" role="alert">${fieldError.text}</p>` : null}
<div class="columns">
${renderEmailForm(frame, account)}
${frame.confirmsByPassword ? renderPasswordForm(frame, account) : null}
</div>
${frame.confirmsByPassword ? renderSecondFactorPanel() : null}
${renderSessionList(frame, account)}
${account.storage ? renderStoragePanel(account.storage) : null}
${frame.role === 'viewer' ? null : renderExportPanel()}
${account.isLastOwner ? null : renderLeaveForm(frame, account)}
${frame.role === 'owner' ? renderDeletionPanel(frame, account) : null}`,
  })
}

function renderStoragePanel(usage: StorageUsage): SafeHtml {
  return html`<section class="panel" aria-labelledby="storage">
<h2 id="storage">${t('account.storage.title')}</h2>
<p>${describeStorage(usage)}</p>
<p class="soft">${t('account.storage.text')}</p>
</section>`
}

/** Describes how much of its storage an account has used. */
export function describeStorage({ bytes, limit }: StorageUsage): string {
  const amount = formatBytes(Math.max(0, bytes))
  return limit === undefined
    ? t('account.storage.used', { bytes: amount })
    : t('account.storage.limited', { bytes: amount, limit: formatBytes(limit) })
}

function renderExportPanel(): SafeHtml {
  return html`<section class="panel" aria-labelledby="export">
<h2 id="export">${t('account.export.title')}</h2>
<p class="soft">${t('account.export.text')}</p>
<p class="actions"><a class="button quiet" href="/console/account/links.jsonl" download>${t('account.export.jsonl')}</a> <a class="button quiet" href="/console/account/links.csv" download>${t('account.export.csv')}</a></p>
</section>`
}

/** Renders the forms for leaving the account and for deleting the user. */
function renderLeaveForm(frame: Frame, { username, form }: AccountPage): SafeHtml {
  return html`<div class="columns">
<section class="panel" aria-labelledby="leave">
<h2 id="leave">${t('account.leave.title', { account: username })}</h2>
<p class="soft">${t('account.leave.text')}</p>
<form method="post" action="/console/account/leave">${csrfField(frame.csrf)}
<p class="actions"><button class="button danger">${t('account.leave.button')}</button></p>
</form>
</section>
<section class="panel" aria-labelledby="delete-user">
<h2 id="delete-user">${t('account.deleteUser.title')}</h2>
<p class="soft">${t('account.deleteUser.text')}</p>
<form method="post" action="/console/account/delete-user">${csrfField(frame.csrf)}
${renderConfirmationField(frame, {
  name: 'userPassword',
  label: t('shell.fields.yourPassword'),
  error: findError(form.fieldError, 'userPassword'),
})}
<p class="actions"><button class="button danger">${t('account.deleteUser.button')}</button></p>
</form>
</section>
</div>`
}

function renderEmailForm(frame: Frame, { email, form }: AccountPage): SafeHtml {
  return html`<section class="panel" aria-labelledby="email-title">
<h2 id="email-title">${t('shell.fields.email')}</h2>
<form method="post" action="/console/account/email">${csrfField(frame.csrf)}
${renderField(form.fieldError, {
  name: 'email',
  label: t('shell.fields.email'),
  type: 'email',
  autocomplete: 'email',
  value: form.input?.email ?? email,
  hint: t('account.email.hint'),
})}
${renderConfirmationField(frame, {
  name: 'yourPassword',
  label: t('shell.fields.yourPassword'),
  error: findError(form.fieldError, 'yourPassword'),
})}
<p class="actions"><button class="button">${t('account.email.button')}</button></p>
</form>
</section>`
}

function renderPasswordForm({ csrf }: Frame, { form }: AccountPage): SafeHtml {
  return html`<section class="panel" aria-labelledby="password-title">
<h2 id="password-title">${t('shell.fields.password')}</h2>
<form method="post" action="/console/account/password">${csrfField(csrf)}
${renderField(form.fieldError, {
  name: 'currentPassword',
  label: t('account.password.current'),
  type: 'password',
  autocomplete: 'current-password',
})}
${renderField(form.fieldError, {
  name: 'newPassword',
  label: t('account.password.new'),
  type: 'password',
  autocomplete: 'new-password',
  minLength: 8,
  hint: t('account.password.hint'),
})}
<p class="actions"><button class="button">${t('account.password.button')}</button></p>
</form>
</section>`
}

function renderSessionList({ csrf }: Frame, { sessions }: AccountPage): SafeHtml {
  const hasOthers = sessions.some(({ isCurrent }) => !isCurrent)
  return html`<section class="panel" aria-labelledby="sessions">
<h2 id="sessions">${t('account.sessions.title')}</h2>
<table class="cards">
<thead><tr><th scope="col">${t('account.sessions.browser')}</th><th scope="col">${t('account.sessions.signedIn')}</th><th scope="col">${t('account.sessions.lastUsed')}</th><th scope="col"><span class="hidden-text">${t('shell.actions')}</span></th></tr></thead>
<tbody>${sessions.map((session) => renderSessionRow(csrf, session))}</tbody>
</table>
${
  hasOthers
    ? html`<form method="post" action="/console/account/sessions/end-others">${csrfField(csrf)}
<button class="button quiet">${t('account.sessions.signOutOthers')}</button>
</form>`
    : null
}
</section>`
}

function renderSessionRow(csrf: string, session: SessionView): SafeHtml {
  const { id, browser, signedIn, lastUsed, isCurrent } = session
  const name = browser ?? t('account.sessions.unknown')
  return html`<tr>
<th scope="row">${name}</th>
<td data-label="${t('account.sessions.signedIn')}">${signedIn}</td>
<td data-label="${t('account.sessions.lastUsed')}">${lastUsed}</td>
<td>${
    isCurrent
      ? t('account.sessions.current')
      : html`<form class="in-row" method="post" action="/console/account/sessions/${id}/end">${csrfField(csrf)}<button class="button quiet small">${t('account.sessions.signOut')}<span class="hidden-text"> ${t('account.sessions.session', { browser: name, lastUsed })}</span></button></form>`
  }</td>
</tr>`
}

function renderDeletionPanel(frame: Frame, { username, form }: AccountPage): SafeHtml {
  const { input, fieldError } = form
  return renderDeletionForm({
    frame,
    username,
    action: '/console/account/delete',
    note: t('account.deletion.note'),
    input: input?.username,
    fieldError,
  })
}
