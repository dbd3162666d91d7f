import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField } from '../../../../pages/field.ts'
import type { Role } from '../../../../people/user.ts'
import { confirmationField } from '../../shell/confirmation-field.ts'
import { copyable } from '../../shell/copyable.ts'
import { consolePage, type Frame } from '../../shell/layout.ts'
import { type InviteForm, inviteForm, roleOptions } from './form.ts'
import { roleNames } from './messages.ts'

export type ShownMember = {
  id: number
  email: string
  role: Role
  since: string
  isSelf: boolean
  /** The error of the last change of this member. */
  error?: string | undefined
}

export type ShownInvitation = { id: number; email: string; role: Role; expires: string }

export type MembersPage = {
  members: readonly ShownMember[]
  invitations: readonly ShownInvitation[]
  form: InviteForm
  done?: string | undefined
  error?: string | undefined
}

/**
 * Renders the members of an account, its open invitations, and the invitation form. Times are UTC.
 */
export function membersPage(frame: Frame, page: MembersPage): string {
  const { members, invitations, form, done, error } = page
  return consolePage(frame, {
    title: 'Members',
    section: '/console/members',
    body: html`<h1>Members</h1>
${done ? html`<p class="inset told" role="status">${done}</p>` : null}
${error ? html`<p class="notice" role="alert">${error}</p>` : null}
<section class="panel" aria-labelledby="members">
<h2 id="members">Members of ${frame.username}</h2>
<table class="cards">
<thead><tr><th scope="col">Email</th><th scope="col">Since</th><th scope="col">Role</th><th scope="col"><span class="hidden-text">Actions</span></th></tr></thead>
<tbody>${members.map((member) => memberRow(frame, member))}</tbody>
</table>
</section>
${invitations.length > 0 ? invitationTable(frame, invitations) : null}
<section class="panel" aria-labelledby="invite">
<h2 id="invite">Invite someone</h2>
${form.errors?.form ? html`<p class="notice" role="alert">${form.errors.form}</p>` : null}
${inviteForm(frame, form)}
</section>`,
  })
}

function memberRow(frame: Frame, { id, email, role, since, isSelf, error }: ShownMember): SafeHtml {
  return html`<tr>
<th scope="row">${email}${isSelf ? html` <span class="badge">You</span>` : null}</th>
<td class="when" data-label="Since">${since}</td>
<td data-label="Role">${roleNames[role]}</td>
<td><details${error ? html` open` : null}><summary>Change<span class="hidden-text"> ${email}</span></summary>
${error ? html`<p class="error" role="alert">${error}</p>` : null}
<form method="post" action="/console/members/${id}/role">${csrfField(frame.csrf)}
<div class="field"><label for="role-${id}">Role</label><select id="role-${id}" name="role">${roleOptions(role)}</select></div>
${confirmationField(frame, {
  name: `password-${id}`,
  label: 'Your password',
  optional: true,
  hint: 'Required to grant the owner role.',
})}
<p class="actions"><button class="button quiet small">Save role</button></p>
</form>
<form method="post" action="/console/members/${id}/remove">${csrfField(frame.csrf)}
<p class="actions"><button class="button danger small">Remove<span class="hidden-text"> ${email}</span></button></p>
</form></details></td>
</tr>`
}

function invitationTable({ csrf }: Frame, invitations: readonly ShownInvitation[]): SafeHtml {
  return html`<section class="panel" aria-labelledby="open">
<h2 id="open">Open invitations</h2>
<table class="cards">
<thead><tr><th scope="col">Email</th><th scope="col">Role</th><th scope="col">Expires</th><th scope="col"><span class="hidden-text">Actions</span></th></tr></thead>
<tbody>${invitations.map(
    ({ id, email, role, expires }) => html`<tr>
<th scope="row">${email}</th>
<td data-label="Role">${roleNames[role]}</td>
<td class="when" data-label="Expires">${expires}</td>
<td>${role === 'owner' ? null : html`<form class="in-row" method="post" action="/console/members/invitations/${id}/link">${csrfField(csrf)}<button class="button quiet small">New link<span class="hidden-text"> for ${email}</span></button></form>`}
<form class="in-row" method="post" action="/console/members/invitations/${id}/withdraw">${csrfField(csrf)}<button class="button quiet small">Withdraw<span class="hidden-text"> the invitation of ${email}</span></button></form></td>
</tr>`,
  )}</tbody>
</table>
</section>`
}

/** Renders the link of a new invitation, the only time it is shown. */
export function invitationLinkPage(frame: Frame, { email, url }: { email: string; url: string }) {
  return consolePage(frame, {
    title: 'Invitation',
    section: '/console/members',
    body: html`<h1>Invitation for ${email}</h1>
<section class="panel" aria-labelledby="link">
<h2 id="link">Send this link to ${email}</h2>
<p>${copyable({ id: 'invitation', text: url })}</p>
<p class="soft">Copy it now. You won't be able to see it again. It works once, within 7 days, for whoever has it.</p>
<p class="actions"><a class="button" href="/console/members">Done</a></p>
</section>`,
  })
}
