import { html, type SafeHtml } from '@remix-run/html-template'
import { formatCount } from '../shell/format-count.ts'
import type { Frame } from '../shell/layout.ts'
import { pager } from '../shell/pager.ts'
import { operatorPage } from './layout.ts'
import { userMessages } from './users/messages.ts'

export type AccountRow = {
  id: number
  username: string
  email: string
  plan: string
  state: string
  hasAdmin: boolean
  links: number
  /** The date of creation. */
  made: string
}

export type AccountsPage = {
  rows: readonly AccountRow[]
  /** The total number of accounts. */
  total: number
  /** The confirmation of the last change. */
  told?: string | undefined
  form: { q: string; state: string }
  newer: string | undefined
  older: string | undefined
}

const PATH = '/console/operator/accounts'

export const accountStates = [
  ['', 'Any'],
  ['active', 'Active'],
  ['suspended', 'Suspended'],
  ['deleting', 'Deleting'],
  ['admin', 'Admin'],
] as const

/** Renders the accounts of the service with a search. */
export function accountsPage(frame: Frame, page: AccountsPage): string {
  const { rows, total, told, form, newer, older } = page
  const narrowed = form.q !== '' || form.state !== ''
  return operatorPage(frame, {
    title: 'Accounts',
    at: PATH,
    body: html`<div class="headline">
<h1>Accounts</h1>
<a class="button" href="${PATH}/new">${userMessages.newAccount}</a>
</div>
${told ? html`<p class="inset told" role="status">${told}</p>` : null}
<p class="soft">${total === 1 ? '1 account' : `${formatCount(total)} accounts`}</p>
<form class="finder" method="get" action="${PATH}" role="search">
<div class="field"><label for="q">Search</label><input type="search" id="q" name="q" value="${form.q}" maxlength="254" autocomplete="off" placeholder="Email or username"></div>
<div class="field"><label for="state">Status</label><select id="state" name="state">${accountStates.map(([value, text]) => html`<option value="${value}"${value === form.state ? html` selected` : null}>${text}</option>`)}</select></div>
<div class="finder-buttons"><button class="button quiet">Search</button>${narrowed ? html`<a class="reset" href="${PATH}">Clear filters</a>` : null}</div>
</form>
${rows.length > 0 ? table(rows) : nothing()}
${pager({ newer, older })}`,
  })
}

function table(rows: readonly AccountRow[]): SafeHtml {
  return html`<section class="panel" aria-label="Accounts">
<table class="cards accounts">
<thead><tr><th scope="col">Account</th><th scope="col">Plan</th><th scope="col">Status</th><th scope="col" class="number">Links</th><th scope="col">Created</th></tr></thead>
<tbody>${rows.map(row)}</tbody>
</table>
</section>`
}

function row({ id, username, email, plan, state, hasAdmin, links, made }: AccountRow): SafeHtml {
  return html`<tr>
<th scope="row"><a href="${PATH}/${id}">${username}</a>${hasAdmin ? html` <span class="badge">Admin</span>` : null}
<span class="small soft under">${email}</span></th>
<td data-label="Plan">${plan}</td>
<td data-label="Status">${state}</td>
<td class="number" data-label="Links">${formatCount(links)}</td>
<td data-label="Created">${made}</td>
</tr>`
}

function nothing(): SafeHtml {
  return html`<section class="panel blank"><h2>No matches</h2>
<p class="soft">No accounts match.</p>
<p><a class="button quiet" href="${PATH}">Show all accounts</a></p></section>`
}
