import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField } from '../../../../pages/field.ts'
import type { Role } from '../../../../people/user.ts'
import { renderCopyable } from '../../shell/copyable.ts'
import { type Frame, renderConsolePage } from '../../shell/layout.ts'
import { shellMessages } from '../../shell/messages.ts'
import { type InviteForm, renderInviteForm } from './form.ts'
import { type MemberView, renderMemberForms } from './member-forms.ts'
import { memberMessages as messages, roleNames } from './messages.ts'

export type InvitationView = { id: number; email: string; role: Role; expires: string }

export type MembersPage = {
  members: readonly MemberView[]
  invitations: readonly InvitationView[]
  form: InviteForm
  confirmation?: string | undefined
  error?: string | undefined
}

/**
 * Renders the members of an account, its open invitations, and the form that invites a member.
 */
export function renderMembersPage(frame: Frame, page: MembersPage): string {
  const { members, invitations, form, confirmation, error } = page
  return renderConsolePage(frame, {
    title: messages.title,
    section: '/console/members',
    body: html`<h1>${messages.title}</h1>
${confirmation ? html`<p class="inset told" role="status">${confirmation}</p>` : null}
${error ? html`<p class="notice" role="alert">${error}</p>` : null}
<section class="panel" aria-labelledby="members">
<h2 id="members">${messages.membersOf(frame.username)}</h2>
<table class="cards">
<thead><tr><th scope="col">${shellMessages.fields.email}</th><th scope="col">${messages.since}</th><th scope="col">${messages.role}</th><th scope="col"><span class="hidden-text">${shellMessages.actions}</span></th></tr></thead>
<tbody>${members.map((member) => renderMemberRow(frame, member))}</tbody>
</table>
</section>
${invitations.length > 0 ? renderInvitationTable(frame, invitations) : null}
<section class="panel" aria-labelledby="invite">
<h2 id="invite">${messages.inviteTitle}</h2>
${form.errors?.form ? html`<p class="notice" role="alert">${form.errors.form}</p>` : null}
${renderInviteForm(frame, form)}
</section>`,
  })
}

function renderMemberRow(frame: Frame, member: MemberView): SafeHtml {
  const { email, role, since, isSelf, error } = member
  return html`<tr>
<th scope="row">${email}${isSelf ? html` <span class="badge">${messages.you}</span>` : null}</th>
<td class="when" data-label="${messages.since}">${since}</td>
<td data-label="${messages.role}">${roleNames[role]}</td>
<td><details${error ? html` open` : null}><summary>${messages.change}<span class="hidden-text"> ${email}</span></summary>
${error ? html`<p class="error" role="alert">${error}</p>` : null}
${renderMemberForms(frame, member)}</details></td>
</tr>`
}

function renderInvitationTable({ csrf }: Frame, invitations: readonly InvitationView[]): SafeHtml {
  return html`<section class="panel" aria-labelledby="open">
<h2 id="open">${messages.openInvitations}</h2>
<table class="cards">
<thead><tr><th scope="col">${shellMessages.fields.email}</th><th scope="col">${messages.role}</th><th scope="col">${messages.expires}</th><th scope="col"><span class="hidden-text">${shellMessages.actions}</span></th></tr></thead>
<tbody>${invitations.map(
    ({ id, email, role, expires }) => html`<tr>
<th scope="row">${email}</th>
<td data-label="${messages.role}">${roleNames[role]}</td>
<td class="when" data-label="${messages.expires}">${expires}</td>
<td>${role === 'owner' ? null : html`<form class="in-row" method="post" action="/console/members/invitations/${id}/link">${csrfField(csrf)}<button class="button quiet small">${messages.newLink}<span class="hidden-text"> ${messages.newLinkFor(email)}</span></button></form>`}
<form class="in-row" method="post" action="/console/members/invitations/${id}/withdraw">${csrfField(csrf)}<button class="button quiet small">${messages.withdraw}<span class="hidden-text"> ${messages.withdrawOf(email)}</span></button></form></td>
</tr>`,
  )}</tbody>
</table>
</section>`
}

/** Renders the link of a new invitation, which is shown only this once. */
export function renderInvitationLinkPage(
  frame: Frame,
  { email, url }: { email: string; url: string },
) {
  return renderConsolePage(frame, {
    title: messages.invitation,
    section: '/console/members',
    body: html`<h1>${messages.invitationFor(email)}</h1>
<section class="panel" aria-labelledby="link">
<h2 id="link">${messages.send(email)}</h2>
<p>${renderCopyable({ id: 'invitation', text: url })}</p>
<p class="soft">${messages.sendHint}</p>
<p class="actions"><a class="button" href="/console/members">${messages.doneButton}</a></p>
</section>`,
  })
}
