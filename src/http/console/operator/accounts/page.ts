import { html, type SafeHtml } from '@remix-run/html-template'
import { formatCount } from '../../shell/format-count.ts'
import type { Frame } from '../../shell/layout.ts'
import { renderPager } from '../../shell/pager.ts'
import { renderOperatorPage } from '../layout.ts'
import { operatorMessages } from '../messages.ts'
import { userMessages } from '../users/messages.ts'
import { accountMessages as messages } from './messages.ts'

export type AccountRow = {
  id: number
  username: string
  email: string
  plan: string
  state: string
  hasAdmin: boolean
  links: number
  /** The date of creation. */
  createdOn: string
}

export type AccountsPage = {
  rows: readonly AccountRow[]
  /** The total number of accounts. */
  total: number
  /** The confirmation of the last change. */
  notice?: string | undefined
  form: { q: string; state: string }
  /** The paths of the adjacent pages. */
  newer: string | undefined
  older: string | undefined
}

const PATH = '/console/operator/accounts'

/** The filters of the list. */
export const ACCOUNT_FILTERS = ['active', 'suspended', 'deleting', 'admin'] as const

/** Renders the accounts of the service with a search. */
export function renderAccountsPage(frame: Frame, page: AccountsPage): string {
  const { rows, total, notice, form, newer, older } = page
  const isFiltered = form.q !== '' || form.state !== ''
  return renderOperatorPage(frame, {
    title: messages.list,
    currentSection: PATH,
    body: html`<div class="headline">
<h1>${messages.list}</h1>
<a class="button" href="${PATH}/new">${userMessages.newAccount}</a>
</div>
${notice ? html`<p class="inset told" role="status">${notice}</p>` : null}
<p class="soft">${messages.count(total)}</p>
<form class="finder" method="get" action="${PATH}" role="search">
<div class="field"><label for="q">${operatorMessages.search}</label><input type="search" id="q" name="q" value="${form.q}" maxlength="254" autocomplete="off" placeholder="${messages.placeholder}"></div>
<div class="field"><label for="state">${operatorMessages.status}</label><select id="state" name="state"><option value="">${operatorMessages.any}</option>${ACCOUNT_FILTERS.map((value) => html`<option value="${value}"${value === form.state ? html` selected` : null}>${messages.filters[value]}</option>`)}</select></div>
<div class="finder-buttons"><button class="button quiet">${operatorMessages.search}</button>${isFiltered ? html`<a class="reset" href="${PATH}">${operatorMessages.clear}</a>` : null}</div>
</form>
${rows.length > 0 ? renderTable(rows) : renderEmptyState()}
${renderPager({ newer, older })}`,
  })
}

function renderTable(rows: readonly AccountRow[]): SafeHtml {
  return html`<section class="panel" aria-label="${messages.list}">
<table class="cards accounts">
<thead><tr><th scope="col">${messages.account}</th><th scope="col">${messages.plan}</th><th scope="col">${operatorMessages.status}</th><th scope="col" class="number">${operatorMessages.links}</th><th scope="col">${operatorMessages.created}</th></tr></thead>
<tbody>${rows.map(renderRow)}</tbody>
</table>
</section>`
}

function renderRow({
  id,
  username,
  email,
  plan,
  state,
  hasAdmin,
  links,
  createdOn,
}: AccountRow): SafeHtml {
  return html`<tr>
<th scope="row"><a href="${PATH}/${id}">${username}</a>${hasAdmin ? html` <span class="badge">${messages.admin}</span>` : null}
<span class="small soft under">${email}</span></th>
<td data-label="${messages.plan}">${plan}</td>
<td data-label="${operatorMessages.status}">${state}</td>
<td class="number" data-label="${operatorMessages.links}">${formatCount(links)}</td>
<td data-label="${operatorMessages.created}">${createdOn}</td>
</tr>`
}

function renderEmptyState(): SafeHtml {
  return html`<section class="panel blank"><h2>${operatorMessages.noMatches}</h2>
<p class="soft">${messages.empty}</p>
<p><a class="button quiet" href="${PATH}">${messages.showAll}</a></p></section>`
}
