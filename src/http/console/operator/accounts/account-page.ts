import { html, type SafeHtml } from '@remix-run/html-template'
import type { StorageUsage } from '../../../../accounts/storage.ts'
import type { LogLine } from '../../../../operator/log-line.ts'
import { csrfField } from '../../../../pages/field.ts'
import { t } from '../../../../texts.ts'
import { describeStorage } from '../../account.ts'
import { renderDeletionPanel } from '../../account-deletion.ts'
import { type FieldError, renderField } from '../../shell/field-error.ts'
import { formatCount } from '../../shell/format-count.ts'
import type { Frame } from '../../shell/layout.ts'
import { renderOperatorPage } from '../layout.ts'
import { renderLogTable } from '../log.ts'
import type { AccountState } from './account-texts.ts'
import { type MemberForm, type MemberView, renderMembersPanel } from './members-panel.ts'

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
  log: readonly LogLine[]
  form: AccountForm
}

const PATH = '/console/operator/accounts'

/** Renders one account with the admin's actions. */
export function renderAccountPage(frame: Frame, account: AccountView): string {
  const { id, username, state, hasAdmin, isOwn, members, form } = account
  const { fieldError, confirmation } = form
  return renderOperatorPage(frame, {
    title: t('admin.account.title', { username }),
    currentSection: PATH,
    body: html`<p class="eyebrow"><a href="${PATH}">${t('admin.account.list')}</a></p>
<h1>${username}${hasAdmin ? html` <span class="badge">${t('admin.account.admin')}</span>` : null}</h1>
${confirmation ? html`<p class="inset told" role="status">${confirmation}</p>` : null}
${fieldError?.field === 'form' ? html`<p class="notice" role="alert">${fieldError.text}</p>` : null}
${renderDetails(account)}
${state === 'deleting' ? null : renderChangeForms(frame, account)}
${renderMembersPanel(frame, { accountId: id, members, form: form.member ?? {}, canAddMembers: state === 'active' })}
${renderKeysPanel(account)}
${renderLogPanel(frame, account)}
${state === 'deleting' || isOwn ? null : renderDeletion(frame, account)}`,
  })
}

function renderDetails(account: AccountView): SafeHtml {
  const { email, planText, state, registered, links, clicks, storage } = account
  return html`<section class="panel" aria-label="${t('admin.account.details')}"><dl class="facts">
<dt>${t('admin.account.email')}</dt><dd>${email}</dd>
<dt>${t('admin.account.state')}</dt><dd>${t(`admin.account.states.${state}`)}</dd>
<dt>${t('admin.account.plan')}</dt><dd>${planText}</dd>
<dt>${t('admin.links')}</dt><dd>${formatCount(links)}</dd>
<dt>${t('admin.clicks')}</dt><dd>${clicks === undefined ? t('admin.account.unavailable') : formatCount(clicks)}</dd>
<dt>${t('account.storage.title')}</dt><dd>${describeStorage(storage)}</dd>
<dt>${t('admin.created')}</dt><dd>${registered}</dd>
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
<h2 id="own">${t('admin.account.own')}</h2>
<p class="soft">${t('admin.account.ownText')} <a href="/console/account">${t('admin.account.ownPage')}</a>.</p>
</section>`
}

function renderSuspensionForm({ csrf }: Frame, { id, state, form }: AccountView): SafeHtml {
  if (state === 'suspended') {
    return html`<section class="panel" aria-labelledby="suspension">
<h2 id="suspension">${t('admin.account.resume')}</h2>
<p class="soft">${t('admin.account.resumeText')}</p>
<form method="post" action="${PATH}/${id}/resume">${csrfField(csrf)}
<p class="actions"><button class="button">${t('admin.account.resumeButton')}</button></p>
</form>
</section>`
  }
  return html`<section class="panel" aria-labelledby="suspension">
<h2 id="suspension">${t('admin.account.suspend')}</h2>
<p class="soft">${t('admin.account.suspendText')}</p>
<form method="post" action="${PATH}/${id}/suspend">${csrfField(csrf)}
${renderField(form.fieldError, {
  name: 'reason',
  label: t('admin.reason'),
  optional: true,
  autocomplete: 'off',
  maxLength: 200,
  value: form.input?.reason ?? '',
  hint: t('admin.account.reasonHint'),
})}
<p class="actions"><button class="button danger">${t('admin.account.suspendButton')}</button></p>
</form>
</section>`
}

function renderPlanForm({ csrf }: Frame, { id, plan, expires, form }: AccountView): SafeHtml {
  const selectedPlan = form.input?.plan ?? plan
  return html`<section class="panel" aria-labelledby="plan-title">
<h2 id="plan-title">${t('admin.account.plan')}</h2>
<form method="post" action="${PATH}/${id}/plan">${csrfField(csrf)}
<div class="field"><label for="plan">${t('admin.account.plan')}</label><select id="plan" name="plan">${['free', 'pro'].map((each) => html`<option value="${each}"${each === selectedPlan ? html` selected` : null}>${each}</option>`)}</select></div>
${renderField(form.fieldError, {
  name: 'expires',
  label: t('admin.account.planExpires'),
  type: 'date',
  optional: true,
  autocomplete: 'off',
  value: form.input?.expires ?? expires,
  hint: t('admin.account.planHint'),
})}
<p class="actions"><button class="button">${t('admin.account.savePlan')}</button></p>
</form>
</section>`
}

function renderKeysPanel({ keys }: AccountView): SafeHtml {
  return html`<section class="panel" aria-labelledby="api-keys">
<h2 id="api-keys">${t('admin.account.keys.title')}</h2>
${
  keys.length === 0
    ? html`<p class="soft">${t('admin.account.keys.empty')}</p>`
    : html`<table class="cards">
<thead><tr><th scope="col">${t('admin.account.keys.name')}</th><th scope="col">${t('admin.account.keys.key')}</th><th scope="col">${t('admin.account.keys.scope')}</th><th scope="col">${t('admin.status')}</th><th scope="col">${t('admin.created')}</th><th scope="col">${t('admin.account.keys.lastUsed')}</th></tr></thead>
<tbody>${keys.map(
        (key) => html`<tr>
<th scope="row" dir="auto">${key.name ?? t('admin.account.keys.unnamed')}</th>
<td data-label="${t('admin.account.keys.key')}"><code>${key.prefix}…</code></td>
<td data-label="${t('admin.account.keys.scope')}">${key.scope}${key.domain === null ? null : html` <span class="soft">${t('admin.account.keys.on', { domain: key.domain })}</span>`}</td>
<td data-label="${t('admin.status')}">${key.state}</td>
<td class="when" data-label="${t('admin.created')}">${key.createdAt}</td>
<td class="when" data-label="${t('admin.account.keys.lastUsed')}">${key.lastUsed ?? t('admin.account.keys.never')}</td>
</tr>`,
      )}</tbody>
</table>`
}
</section>`
}

function renderLogPanel({ timeZone }: Frame, { username, log }: AccountView): SafeHtml {
  return html`<section class="panel" aria-labelledby="done">
<h2 id="done">${t('admin.activity')}</h2>
${
  log.length === 0
    ? html`<p class="soft">${t('admin.noActivity')}</p>`
    : html`${renderLogTable(log, timeZone)}
<p class="small"><a href="/console/operator/log?subject=${username}">${t('admin.account.viewLog')}</a></p>`
}
</section>`
}

function renderDeletion(frame: Frame, { id, username, form }: AccountView): SafeHtml | null {
  const { input, fieldError } = form
  return renderDeletionPanel(frame, {
    username,
    action: `${PATH}/${id}/delete`,
    note: t('admin.account.deletionNote'),
    state: {
      values: { username: input?.username ?? '' },
      ...(fieldError && { errors: { [fieldError.field]: fieldError.text } }),
    },
  })
}
