import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField, type Field, field } from '../../../pages/field.ts'
import { accountDeletion } from '../account/deletion-form.ts'
import { formatCount } from '../shell/format-count.ts'
import type { Frame } from '../shell/layout.ts'
import { operatorPage } from './layout.ts'
import { logTable, type ShownLine } from './log-page.ts'
import { type MemberForm, membersPanel, type ShownMember } from './members-panel.ts'

export type ShownKey = {
  name: string | null
  /** The first characters of the key, for recognition. */
  prefix: string
  scope: string
  /** The host of the domain that it is bound to, if any. */
  domain: string | null
  state: string
  made: string
  lastUsed: string | null
}

export type AccountForm = {
  /** Typed values to show again. */
  typed?: { reason?: string; plan?: string; expires?: string; username?: string }
  /** The error and the name of its field, or `form`. */
  fault?: { field: string; text: string } | undefined
  /** The form for another member. */
  member?: MemberForm
  /** The confirmation of the last change. */
  done?: string | undefined
}

export type AccountView = {
  id: number
  username: string
  email: string
  plan: string
  planText: string
  /** The last day of the plan, or empty if it does not expire. */
  expires: string
  state: 'Active' | 'Suspended' | 'Being deleted'
  hasAdmin: boolean
  members: readonly ShownMember[]
  /** Whether this is the signed-in admin's own account. */
  own: boolean
  registered: string
  links: number
  /** Undefined while statistics are unavailable. */
  clicks: number | undefined
  keys: readonly ShownKey[]
  log: readonly ShownLine[]
  form: AccountForm
}

const PATH = '/console/operator/accounts'

/** One account, and what the operator may do to it. */
export function accountPage(frame: Frame, account: AccountView): string {
  const { id, username, state, hasAdmin, own, members, form } = account
  const { fault, done } = form
  return operatorPage(frame, {
    title: `Account ${username}`,
    at: PATH,
    body: html`<p class="eyebrow"><a href="${PATH}">Accounts</a></p>
<h1>${username}${hasAdmin ? html` <span class="badge">Admin</span>` : null}</h1>
${done ? html`<p class="inset told" role="status">${done}</p>` : null}
${fault?.field === 'form' ? html`<p class="notice" role="alert">${fault.text}</p>` : null}
${facts(account)}
${state === 'Being deleted' ? null : changes(frame, account)}
${membersPanel(frame, { accountId: id, members, form: form.member ?? {}, isOpen: state === 'Active' })}
${keysPanel(account)}
${logPanel(account)}
${state === 'Being deleted' || own ? null : deletion(frame, account)}`,
  })
}

function facts(account: AccountView): SafeHtml {
  const { email, planText, state, registered, links, clicks } = account
  return html`<section class="panel" aria-label="Details"><dl class="facts">
<dt>Email</dt><dd>${email}</dd>
<dt>State</dt><dd>${state}</dd>
<dt>Plan</dt><dd>${planText}</dd>
<dt>Links</dt><dd>${formatCount(links)}</dd>
<dt>Clicks</dt><dd>${clicks === undefined ? 'unavailable' : formatCount(clicks)}</dd>
<dt>Created</dt><dd>${registered}</dd>
</dl></section>`
}

function changes(frame: Frame, account: AccountView): SafeHtml {
  return html`<div class="columns">
${account.own ? ownAccount() : suspension(frame, account)}
${planForm(frame, account)}
</div>`
}

function ownAccount(): SafeHtml {
  return html`<section class="panel" aria-labelledby="own">
<h2 id="own">Your own account</h2>
<p class="soft">You can’t suspend or delete it here. Change its email and password on <a href="/console/account">your account page</a>.</p>
</section>`
}

function suspension({ csrf }: Frame, { id, state, form }: AccountView): SafeHtml {
  if (state === 'Suspended') {
    return html`<section class="panel" aria-labelledby="suspension">
<h2 id="suspension">Resume</h2>
<p class="soft">Restores links, sign-in and API keys.</p>
<form method="post" action="${PATH}/${id}/resume">${csrfField(csrf)}
<p class="actions"><button class="button">Resume account</button></p>
</form>
</section>`
  }
  return html`<section class="panel" aria-labelledby="suspension">
<h2 id="suspension">Suspend</h2>
<p class="soft">Blocks sign-in and API keys, and takes its links offline until you resume it.</p>
<form method="post" action="${PATH}/${id}/suspend">${csrfField(csrf)}
${fieldOf(form, {
  name: 'reason',
  label: 'Reason',
  optional: true,
  autocomplete: 'off',
  maxLength: 200,
  value: form.typed?.reason ?? '',
  hint: 'Only visible in the admin log.',
})}
<p class="actions"><button class="button danger">Suspend account</button></p>
</form>
</section>`
}

function planForm({ csrf }: Frame, { id, plan, expires, form }: AccountView): SafeHtml {
  const chosen = form.typed?.plan ?? plan
  return html`<section class="panel" aria-labelledby="plan-title">
<h2 id="plan-title">Plan</h2>
<form method="post" action="${PATH}/${id}/plan">${csrfField(csrf)}
<div class="field"><label for="plan">Plan</label><select id="plan" name="plan">${['free', 'pro'].map((each) => html`<option value="${each}"${each === chosen ? html` selected` : null}>${each}</option>`)}</select></div>
${fieldOf(form, {
  name: 'expires',
  label: 'Plan expires on',
  type: 'date',
  optional: true,
  autocomplete: 'off',
  value: form.typed?.expires ?? expires,
  hint: 'In UTC. Leave blank for no expiration.',
})}
<p class="actions"><button class="button">Save plan</button></p>
</form>
</section>`
}

function keysPanel({ keys }: AccountView): SafeHtml {
  return html`<section class="panel" aria-labelledby="keys">
<h2 id="keys">API keys</h2>
${
  keys.length === 0
    ? html`<p class="soft">No API keys</p>`
    : html`<table class="cards">
<thead><tr><th scope="col">Name</th><th scope="col">Key</th><th scope="col">Scope</th><th scope="col">Status</th><th scope="col">Created</th><th scope="col">Last used</th></tr></thead>
<tbody>${keys.map(
        (key) => html`<tr>
<th scope="row" dir="auto">${key.name ?? 'Unnamed'}</th>
<td data-label="Key"><code>${key.prefix}…</code></td>
<td data-label="Scope">${key.scope}${key.domain === null ? null : html` <span class="soft">on ${key.domain}</span>`}</td>
<td data-label="Status">${key.state}</td>
<td class="when" data-label="Created">${key.made}</td>
<td class="when" data-label="Last used">${key.lastUsed ?? 'Never'}</td>
</tr>`,
      )}</tbody>
</table>`
}
</section>`
}

function logPanel({ username, log }: AccountView): SafeHtml {
  return html`<section class="panel" aria-labelledby="done">
<h2 id="done">Admin activity</h2>
${
  log.length === 0
    ? html`<p class="soft">No activity</p>`
    : html`${logTable(log)}
<p class="small"><a href="/console/operator/log?subject=${username}">View all in the admin log</a></p>`
}
</section>`
}

function deletion(frame: Frame, { id, username, form }: AccountView): SafeHtml {
  const { typed, fault } = form
  return accountDeletion({
    frame,
    username,
    action: `${PATH}/${id}/delete`,
    note: 'The admin log keeps its name.',
    typed: typed?.username,
    fault,
  })
}

function fieldOf({ fault }: AccountForm, options: Field): SafeHtml {
  const isWrong = fault?.field === options.name
  return field({ ...options, ...(isWrong && { error: fault.text, autofocus: true }) })
}
