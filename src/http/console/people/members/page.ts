import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField } from '../../../../pages/field.ts'
import type { Role } from '../../../../people/user.ts'
import { t } from '../../../../texts.ts'
import { renderCopyable } from '../../kit/parts.ts'
import { type Frame, renderConsolePage } from '../../shell/layout.ts'
import { type InviteForm, renderInviteForm } from './form.ts'
import { type MemberView, renderMemberForms } from './member-forms.ts'

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
    title: t('member.title'),
    section: '/console/members',
    body: html`<h1>${t('member.title')}</h1>
${confirmation ? html`<p class="inset told" role="status">${confirmation}</p>` : null}
${error ? html`<p class="notice" role="alert">${error}</p>` : null}
<section class="panel" aria-labelledby="members">
<h2 id="members">${t('member.membersOf', { account: frame.username })}</h2>
<table class="cards">
<thead><tr><th scope="col">${t('shell.fields.email')}</th><th scope="col">${t('member.since')}</th><th scope="col">${t('member.role')}</th><th scope="col"><span class="hidden-text">${t('shell.actions')}</span></th></tr></thead>
<tbody>${members.map((member) => renderMemberRow(frame, member))}</tbody>
</table>
</section>
${invitations.length > 0 ? renderInvitationTable(frame, invitations) : null}
<section class="panel" aria-labelledby="invite">
<h2 id="invite">${t('member.inviteTitle')}</h2>
${form.errors?.form ? html`<p class="notice" role="alert">${form.errors.form}</p>` : null}
${renderInviteForm(frame, form)}
</section>`,
  })
}

function renderMemberRow(frame: Frame, member: MemberView): SafeHtml {
  const { email, role, since, isSelf, error } = member
  return html`<tr>
<th scope="row">${email}${isSelf ? html` <span class="badge">${t('member.you')}</span>` : null}</th>
<td class="when" data-label="${t('member.since')}">${since}</td>
<td data-label="${t('member.role')}">${t(`roles.${role}`)}</td>
<td><details${error ? html` open` : null}><summary>${t('member.change')}<span class="hidden-text"> ${email}</span></summary>
${error ? html`<p class="error" role="alert">${error}</p>` : null}
${renderMemberForms(frame, member)}</details></td>
</tr>`
}

function renderInvitationTable({ csrf }: Frame, invitations: readonly InvitationView[]): SafeHtml {
  return html`<section class="panel" aria-labelledby="open">
<h2 id="open">${t('member.openInvitations')}</h2>
<table class="cards">
<thead><tr><th scope="col">${t('shell.fields.email')}</th><th scope="col">${t('member.role')}</th><th scope="col">${t('member.expires')}</th><th scope="col"><span class="hidden-text">${t('shell.actions')}</span></th></tr></thead>
<tbody>${invitations.map(
    ({ id, email, role, expires }) => html`<tr>
<th scope="row">${email}</th>
<td data-label="${t('member.role')}">${t(`roles.${role}`)}</td>
<td class="when" data-label="${t('member.expires')}">${expires}</td>
<td>${role === 'owner' ? null : html`<form class="in-row" method="post" action="/console/members/invitations/${id}/link">${csrfField(csrf)}<button class="button quiet small">${t('member.newLink')}<span class="hidden-text"> ${t('member.newLinkFor', { email })}</span></button></form>`}
<form class="in-row" method="post" action="/console/members/invitations/${id}/withdraw">${csrfField(csrf)}<button class="button quiet small">${t('member.withdraw')}<span class="hidden-text"> ${t('member.withdrawOf', { email })}</span></button></form></td>
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
    title: t('member.invitation'),
    section: '/console/members',
    body: html`<h1>${t('member.invitationFor', { email })}</h1>
<section class="panel" aria-labelledby="link">
<h2 id="link">${t('member.send', { email })}</h2>
<p>${renderCopyable({ id: 'invitation', text: url })}</p>
<p class="soft">${t('member.sendHint')}</p>
<p class="actions"><a class="button" href="/console/members">${t('member.doneButton')}</a></p>
</section>`,
  })
}
