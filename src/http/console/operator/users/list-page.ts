import { html, type SafeHtml } from '@remix-run/html-template'
import { formatCount } from '../../shell/format-count.ts'
import type { Frame } from '../../shell/layout.ts'
import { renderPager } from '../../shell/pager.ts'
import { renderOperatorPage } from '../layout.ts'
import { userMessages as messages } from './messages.ts'

export type UserRow = {
  id: number
  email: string
  admin: boolean
  accounts: number
  created: string
}

type UsersPage = {
  rows: readonly UserRow[]
  form: { q: string; admins: boolean }
  /** The paths of the adjacent pages. */
  older: string | undefined
  newer: string | undefined
}

export const USERS_PATH = '/console/operator/users'

/** Renders the list of users with its search. */
export function renderUsersPage(frame: Frame, { rows, form, ...pages }: UsersPage): string {
  const { search, placeholder, submit, clear } = messages.finder
  const isFiltered = form.q !== '' || form.admins
  return renderOperatorPage(frame, {
    title: messages.title,
    currentSection: USERS_PATH,
    body: html`<h1>${messages.title}</h1>
<form class="finder" method="get" action="${USERS_PATH}" role="search">
<div class="field"><label for="q">${search}</label><input type="search" id="q" name="q" value="${form.q}" maxlength="254" autocomplete="off" placeholder="${placeholder}"></div>
<label class="check"><input type="checkbox" name="admins" value="on"${form.admins ? html` checked` : null}> ${messages.admins}</label>
<div class="finder-buttons"><button class="button quiet">${submit}</button>${isFiltered ? html`<a class="reset" href="${USERS_PATH}">${clear}</a>` : null}</div>
</form>
${rows.length > 0 ? renderTable(rows) : renderEmptyState()}
${renderPager(pages)}`,
  })
}

function renderTable(rows: readonly UserRow[]): SafeHtml {
  const { email, accounts, created } = messages.columns
  return html`<section class="panel" aria-label="${messages.title}">
<table class="cards">
<thead><tr><th scope="col">${email}</th><th scope="col" class="number">${accounts}</th><th scope="col">${created}</th></tr></thead>
<tbody>${rows.map(
    (row) => html`<tr>
<th scope="row"><a href="${USERS_PATH}/${row.id}">${row.email}</a>${renderAdminBadge(row)}</th>
<td class="number" data-label="${accounts}">${formatCount(row.accounts)}</td>
<td data-label="${created}">${row.created}</td>
</tr>`,
  )}</tbody>
</table>
</section>`
}

export function renderAdminBadge({ admin: isAdmin }: { admin: boolean }): SafeHtml | null {
  return isAdmin ? html` <span class="badge">${messages.admin}</span>` : null
}

function renderEmptyState(): SafeHtml {
  return html`<section class="panel blank"><h2>${messages.empty}</h2>
<p class="soft">${messages.emptyText}</p>
<p><a class="button quiet" href="${USERS_PATH}">${messages.showAll}</a></p></section>`
}
