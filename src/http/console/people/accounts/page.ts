import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField } from '../../../../pages/field.ts'
import type { Membership } from '../../../../people/member.service.ts'
import { consolePage, type Frame } from '../../shell/layout.ts'
import { roleNames } from '../members/messages.ts'

/** Renders the accounts that a user is a member of. */
export function accountsPage(
  frame: Frame,
  { memberships, current }: { memberships: readonly Membership[]; current: number },
): string {
  return consolePage(frame, {
    title: 'Your accounts',
    section: '/console/accounts',
    body: html`<h1>Your accounts</h1>
<p class="soft">You're signed in as ${frame.email}.</p>
<section class="panel" aria-label="Accounts">
<table class="cards">
<thead><tr><th scope="col">Account</th><th scope="col">Your role</th><th scope="col"><span class="hidden-text">Actions</span></th></tr></thead>
<tbody>${memberships.map((membership) => row(frame, membership, current))}</tbody>
</table>
</section>`,
  })
}

function row({ csrf }: Frame, membership: Membership, current: number): SafeHtml {
  const { accountId, username, role, suspended } = membership
  return html`<tr>
<th scope="row">${username}</th>
<td data-label="Your role">${roleNames[role]}</td>
<td>${
    accountId === current
      ? 'Current account'
      : suspended
        ? 'Suspended'
        : html`<form class="in-row" method="post" action="/console/accounts/switch">${csrfField(csrf)}<input type="hidden" name="account" value="${accountId}"><button class="button quiet small">Switch<span class="hidden-text"> to ${username}</span></button></form>`
  }</td>
</tr>`
}
