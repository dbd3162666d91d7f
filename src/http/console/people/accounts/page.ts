import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField } from '../../../../pages/field.ts'
import type { Membership } from '../../../../people/member.service.ts'
import { t } from '../../../../texts.ts'
import { type Frame, renderConsolePage } from '../../shell/layout.ts'

/** Renders the accounts that a user is a member of. */
export function renderAccountsPage(
  frame: Frame,
  {
    memberships,
    currentAccountId,
  }: { memberships: readonly Membership[]; currentAccountId: number },
): string {
  return renderConsolePage(frame, {
    title: t('accounts.title'),
    section: '/console/accounts',
    body: html`<h1>${t('accounts.title')}</h1>
<p class="soft">${t('accounts.signedInAs', { email: frame.email })}</p>
<section class="panel" aria-label="${t('accounts.list')}">
<table class="cards">
<thead><tr><th scope="col">${t('accounts.account')}</th><th scope="col">${t('accounts.role')}</th><th scope="col"><span class="hidden-text">${t('shell.actions')}</span></th></tr></thead>
<tbody>${memberships.map((membership) => renderRow(frame, membership, currentAccountId))}</tbody>
</table>
</section>`,
  })
}

function renderRow({ csrf }: Frame, membership: Membership, currentAccountId: number): SafeHtml {
  const { username, role } = membership
  return html`<tr>
<th scope="row">${username}</th>
<td data-label="${t('accounts.role')}">${t(`roles.${role}`)}</td>
<td>${renderAction(csrf, membership, currentAccountId)}</td>
</tr>`
}

function renderAction(
  csrf: string,
  { accountId, username, suspended }: Membership,
  currentAccountId: number,
): SafeHtml | string {
  if (accountId === currentAccountId) return t('accounts.current')
  if (suspended) return t('accounts.suspended')
  return html`<form class="in-row" method="post" action="/console/accounts/switch">${csrfField(csrf)}<input type="hidden" name="account" value="${accountId}"><button class="button quiet small">${t('accounts.switch')}<span class="hidden-text"> ${t('accounts.switchTo', { account: username })}</span></button></form>`
}
