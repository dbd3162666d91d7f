import { html, type SafeHtml } from '@remix-run/html-template'
import { t } from '../../../../texts.ts'
import { formatCount } from '../../shell/format-count.ts'
import type { Frame } from '../../shell/layout.ts'
import { renderPager } from '../../shell/pager.ts'
import { renderOperatorPage } from '../layout.ts'

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
  const isFiltered = form.q !== '' || form.admins
  return renderOperatorPage(frame, {
    title: t('admin.user.title'),
    currentSection: USERS_PATH,
    body: html`<h1>${t('admin.user.title')}</h1>
<form class="finder" method="get" action="${USERS_PATH}" role="search">
<div class="field"><label for="q">${t('admin.user.finder.search')}</label><input type="search" id="q" name="q" value="${form.q}" maxlength="254" autocomplete="off" placeholder="${t('admin.user.finder.placeholder')}"></div>
<label class="check"><input type="checkbox" name="admins" value="on"${form.admins ? html` checked` : null}> ${t('admin.user.admins')}</label>
<div class="finder-buttons"><button class="button quiet">${t('admin.user.finder.submit')}</button>${isFiltered ? html`<a class="reset" href="${USERS_PATH}">${t('admin.user.finder.clear')}</a>` : null}</div>
</form>
${rows.length > 0 ? renderTable(rows) : renderEmptyState()}
${renderPager(pages)}`,
  })
}

function renderTable(rows: readonly UserRow[]): SafeHtml {
  return html`<section class="panel" aria-label="${t('admin.user.title')}">
<table class="cards">
<thead><tr><th scope="col">${t('admin.user.columns.email')}</th><th scope="col" class="number">${t('admin.user.columns.accounts')}</th><th scope="col">${t('admin.user.columns.created')}</th></tr></thead>
<tbody>${rows.map(
    (row) => html`<tr>
<th scope="row"><a href="${USERS_PATH}/${row.id}">${row.email}</a>${renderAdminBadge(row)}</th>
<td class="number" data-label="${t('admin.user.columns.accounts')}">${formatCount(row.accounts)}</td>
<td data-label="${t('admin.user.columns.created')}">${row.created}</td>
</tr>`,
  )}</tbody>
</table>
</section>`
}

export function renderAdminBadge({ admin: isAdmin }: { admin: boolean }): SafeHtml | null {
  return isAdmin ? html` <span class="badge">${t('admin.user.admin')}</span>` : null
}

function renderEmptyState(): SafeHtml {
  return html`<section class="panel blank"><h2>${t('admin.user.empty')}</h2>
<p class="soft">${t('admin.user.emptyText')}</p>
<p><a class="button quiet" href="${USERS_PATH}">${t('admin.user.showAll')}</a></p></section>`
}
