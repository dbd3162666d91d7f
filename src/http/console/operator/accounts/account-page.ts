import { html, type SafeHtml } from '@remix-run/html-template'
import type { StorageUsage } from '../../../../accounts/storage.ts'
import { csrfField } from '../../../../pages/field.ts'
import { renderDeletionForm } from '../../account/deletion-form.ts'
import { accountMessages as ownAccountMessages } from '../../account/messages.ts'
import { describeStorage } from '../../account/page.ts'
import { type FieldError, renderField } from '../../shell/field-error.ts'
import { formatCount } from '../../shell/format-count.ts'
import type { Frame } from '../../shell/layout.ts'
import { renderOperatorPage } from '../layout.ts'
import { type LineView, renderLogTable } from '../log/page.ts'
import { operatorMessages } from '../messages.ts'
import type { AccountState } from './account-texts.ts'
import { type MemberForm, type MemberView, renderMembersPanel } from './members-panel.ts'
import { accountMessages as messages } from './messages.ts'

export type KeyView = {
  name: string | null
  /** The first characters of the key, for recognition. */
  prefix: string
  scope: string
  /** The host of the domain that it is bound to, if any. */
  domain: string | null
  state: string
  createdAt: string
  lastUsed: string | null
}

export type AccountForm = {
  /** Submitted values to show again. */
  input?: { reason?: string; plan?: string; expires?: string; username?: string }
  /** The error and the name of its field, or `form`. */
  fieldError?: FieldError | undefined
  /** The form for another member. */
  member?: MemberForm
  /** The confirmation of the last change. */
  confirmation?: string | undefined
}

export type AccountView = {
  id: number
  username: string
  email: string
  plan: string
  planText: string
  /** The last day of the plan, or empty if it does not expire. */
  expires: string
  state: AccountState
  hasAdmin: boolean
  members: readonly MemberView[]
  /** Whether this is the signed-in admin's own account. */
  isOwn: boolean
  registered: string
  links: number
  storage: StorageUsage
  /** Undefined while statistics are unavailable. */
  clicks: number | undefined
  keys: readonly KeyView[]
  log: readonly LineView[]
  form: AccountForm
}

const PATH = '/console/operator/accounts'

/** Renders one account with the admin's actions. */
export function renderAccountPage(frame: Frame, account: AccountView): string {
  const { id, username, state, hasAdmin, isOwn, members, form } = account
  const { fieldError, confirmation } = form
  return renderOperatorPage(frame, {
    title: messages.title(username),
    currentSection: PATH,
    body: html`<p class="eyebrow"><a href="${PATH}">${messages.list}</a></p>
<h1>${username}${hasAdmin ? html` <span class="badge">${messages.admin}</span>` : null}</h1>
${confirmation ? html`<p class="inset told" role="status">${confirmation}</p>` : null}
${fieldError?.field === 'form' ? html`<p class="notice" role="alert">${fieldError.text}</p>` : null}
${renderDetails(account)}
${state === 'deleting' ? null : renderChangeForms(frame, account)}
${renderMembersPanel(frame, { accountId: id, members, form: form.member ?? {}, canAddMembers: state === 'active' })}
${renderKeysPanel(account)}
${renderLogPanel(account)}
${state === 'deleting' || isOwn ? null : renderDeletionPanel(frame, account)}`,
  })
}

function renderDetails(account: AccountView): SafeHtml {
  const { email, planText, state, registered, links, clicks, storage } = account
  return html`<section class="panel" aria-label="${messages.details}"><dl class="facts">
<dt>${messages.email}</dt><dd>${email}</dd>
<dt>${messages.state}</dt><dd>${messages.states[state]}</dd>
<dt>${messages.plan}</dt><dd>${planText}</dd>
<dt>${operatorMessages.links}</dt><dd>${formatCount(links)}</dd>
<dt>${operatorMessages.clicks}</dt><dd>${clicks === undefined ? messages.unavailable : formatCount(clicks)}</dd>
<dt>${ownAccountMessages.storage.title}</dt><dd>${describeStorage(storage)}</dd>
<dt>${operatorMessages.created}</dt><dd>${registered}</dd>
</dl></section>`
}

function renderChangeForms(frame: Frame, account: AccountView): SafeHtml {
  return html`<div class="columns">
${account.isOwn ? renderOwnAccountNote() : renderSuspensionForm(frame, account)}
${renderPlanForm(frame, account)}
</div>`
}

function renderOwnAccountNote(): SafeHtml {
  return html`<section class="panel" aria-labelledby="own">
<h2 id="own">${messages.own}</h2>
<p class="soft">${messages.ownText} <a href="/console/account">${messages.ownPage}</a>.</p>
</section>`
}

function renderSuspensionForm({ csrf }: Frame, { id, state, form }: AccountView): SafeHtml {
  if (state === 'suspended') {
    return html`<section class="panel" aria-labelledby="suspension">
<h2 id="suspension">${messages.resume}</h2>
<p class="soft">${messages.resumeText}</p>
<form method="post" action="${PATH}/${id}/resume">${csrfField(csrf)}
<p class="actions"><button class="button">${messages.resumeButton}</button></p>
</form>
</section>`
  }
  return html`<section class="panel" aria-labelledby="suspension">
<h2 id="suspension">${messages.suspend}</h2>
<p class="soft">${messages.suspendText}</p>
<form method="post" action="${PATH}/${id}/suspend">${csrfField(csrf)}
${renderField(form.fieldError, {
  name: 'reason',
  label: operatorMessages.reason,
  optional: true,
  autocomplete: 'off',
  maxLength: 200,
  value: form.input?.reason ?? '',
  hint: messages.reasonHint,
})}
<p class="actions"><button class="button danger">${messages.suspendButton}</button></p>
</form>
</section>`
}

function renderPlanForm({ csrf }: Frame, { id, plan, expires, form }: AccountView): SafeHtml {
  const selectedPlan = form.input?.plan ?? plan
  return html`<section class="panel" aria-labelledby="plan-title">
<h2 id="plan-title">${messages.plan}</h2>
<form method="post" action="${PATH}/${id}/plan">${csrfField(csrf)}
<div class="field"><label for="plan">${messages.plan}</label><select id="plan" name="plan">${['free', 'pro'].map((each) => html`<option value="${each}"${each === selectedPlan ? html` selected` : null}>${each}</option>`)}</select></div>
${renderField(form.fieldError, {
  name: 'expires',
  label: messages.planExpires,
  type: 'date',
  optional: true,
  autocomplete: 'off',
  value: form.input?.expires ?? expires,
  hint: messages.planHint,
})}
<p class="actions"><button class="button">${messages.savePlan}</button></p>
</form>
</section>`
}

function renderKeysPanel({ keys }: AccountView): SafeHtml {
  const texts = messages.keys
  const { status, created } = operatorMessages
  return html`<section class="panel" aria-labelledby="keys">
<h2 id="keys">${texts.title}</h2>
${
  keys.length === 0
    ? html`<p class="soft">${texts.empty}</p>`
    : html`<table class="cards">
<thead><tr><th scope="col">${texts.name}</th><th scope="col">${texts.key}</th><th scope="col">${texts.scope}</th><th scope="col">${status}</th><th scope="col">${created}</th><th scope="col">${texts.lastUsed}</th></tr></thead>
<tbody>${keys.map(
        (key) => html`<tr>
<th scope="row" dir="auto">${key.name ?? texts.unnamed}</th>
<td data-label="${texts.key}"><code>${key.prefix}…</code></td>
<td data-label="${texts.scope}">${key.scope}${key.domain === null ? null : html` <span class="soft">${texts.on(key.domain)}</span>`}</td>
<td data-label="${status}">${key.state}</td>
<td class="when" data-label="${created}">${key.createdAt}</td>
<td class="when" data-label="${texts.lastUsed}">${key.lastUsed ?? texts.never}</td>
</tr>`,
      )}</tbody>
</table>`
}
</section>`
}

function renderLogPanel({ username, log }: AccountView): SafeHtml {
  return html`<section class="panel" aria-labelledby="done">
<h2 id="done">${operatorMessages.activity}</h2>
${
  log.length === 0
    ? html`<p class="soft">${operatorMessages.noActivity}</p>`
    : html`${renderLogTable(log)}
<p class="small"><a href="/console/operator/log?subject=${username}">${messages.viewLog}</a></p>`
}
</section>`
}

function renderDeletionPanel(frame: Frame, { id, username, form }: AccountView): SafeHtml {
  const { input, fieldError } = form
  return renderDeletionForm({
    frame,
    username,
    action: `${PATH}/${id}/delete`,
    note: messages.deletionNote,
    input: input?.username,
    fieldError,
  })
}
