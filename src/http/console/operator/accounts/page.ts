import { html, type SafeHtml } from '@remix-run/html-template'
import { t } from '../../../../texts.ts'
import { formatCount } from '../../shell/format-count.ts'
import type { Frame } from '../../shell/layout.ts'
import { renderPager } from '../../shell/pager.ts'
import { renderOperatorPage } from '../layout.ts'

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
    title: t('admin.account.list'),
    currentSection: PATH,
    body: html`<div class="headline">
<h1>${t('admin.account.list')}</h1>
<a class="button" href="${PATH}/new">${t('admin.user.newAccount')}</a>
</div>
${notice ? html`<p class="inset told" role="status">${notice}</p>` : null}
<p class="soft">${t('admin.account.count', { count: total })}</p>
<form class="finder" method="get" action="${PATH}" role="search">
<div class="field"><label for="q">${t('admin.search')}</label><input type="search" id="q" name="q" value="${form.q}" maxlength="254" autocomplete="off" placeholder="${t('admin.account.placeholder')}"></div>
<div class="field"><label for="state">${t('admin.status')}</label><select id="state" name="state"><option value="">${t('admin.any')}</option>${ACCOUNT_FILTERS.map((value) => html`<option value="${value}"${value === form.state ? html` selected` : null}>${t(`admin.account.filters.${value}`)}</option>`)}</select></div>
<div class="finder-buttons"><button class="button quiet">${t('admin.search')}</button>${isFiltered ? html`<a class="reset" href="${PATH}">${t('admin.clear')}</a>` : null}</div>
</form>
${rows.length > 0 ? renderTable(rows) : renderEmptyState()}
${renderPager({ newer, older })}`,
  })
}

function renderTable(rows: readonly AccountRow[]): SafeHtml {
  return html`<section class="panel" aria-label="${t('admin.account.list')}">
<table class="cards accounts">
<thead><tr><th scope="col">${t('admin.account.account')}</th><th scope="col">${t('admin.account.plan')}</th><th scope="col">${t('admin.status')}</th><th scope="col" class="number">${t('admin.links')}</th><th scope="col">${t('admin.created')}</th></tr></thead>
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
<th scope="row"><a href="${PATH}/${id}">${username}</a>${hasAdmin ? html` <span class="badge">${t('admin.account.admin')}</span>` : null}
<span class="small soft under">${email}</span></th>
<td data-label="${t('admin.account.plan')}">${plan}</td>
<td data-label="${t('admin.status')}">${state}</td>
<td class="number" data-label="${t('admin.links')}">${formatCount(links)}</td>
<td data-label="${t('admin.created')}">${createdOn}</td>
</tr>`
}

function renderEmptyState(): SafeHtml {
  return html`<section class="panel blank"><h2>${t('admin.noMatches')}</h2>
<p class="soft">${t('admin.account.empty')}</p>
<p><a class="button quiet" href="${PATH}">${t('admin.account.showAll')}</a></p></section>`
}
