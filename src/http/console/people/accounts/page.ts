import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField } from '../../../../pages/field.ts'
import type { Membership } from '../../../../people/member.service.ts'
import { type Frame, renderConsolePage } from '../../shell/layout.ts'
import { shellMessages } from '../../shell/messages.ts'
import { roleNames } from '../members/messages.ts'
import { accountsMessages as messages } from './messages.ts'

/** Renders the accounts that a user is a member of. */
export function renderAccountsPage(
  frame: Frame,
  {
    memberships,
    currentAccountId,
  }: { memberships: readonly Membership[]; currentAccountId: number },
): string {
  return renderConsolePage(frame, {
    title: messages.title,
    section: '/console/accounts',
    body: html`<h1>${messages.title}</h1>
<p class="soft">${messages.signedInAs(frame.email)}</p>
<section class="panel" aria-label="${messages.list}">
<table class="cards">
<thead><tr><th scope="col">${messages.account}</th><th scope="col">${messages.role}</th><th scope="col"><span class="hidden-text">${shellMessages.actions}</span></th></tr></thead>
<tbody>${memberships.map((membership) => renderRow(frame, membership, currentAccountId))}</tbody>
</table>
</section>`,
  })
}

function renderRow({ csrf }: Frame, membership: Membership, currentAccountId: number): SafeHtml {
  const { username, role } = membership
  return html`<tr>
<th scope="row">${username}</th>
<td data-label="${messages.role}">${roleNames[role]}</td>
<td>${renderAction(csrf, membership, currentAccountId)}</td>
</tr>`
}

function renderAction(
  csrf: string,
  { accountId, username, suspended }: Membership,
  currentAccountId: number,
): SafeHtml | string {
  if (accountId === currentAccountId) return messages.current
  if (suspended) return messages.suspended
  return html`<form class="in-row" method="post" action="/console/accounts/switch">${csrfField(csrf)}<input type="hidden" name="account" value="${accountId}"><button class="button quiet small">${messages.switch}<span class="hidden-text"> ${messages.switchTo(username)}</span></button></form>`
}
