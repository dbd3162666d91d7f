import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField, field } from '../../../../pages/field.ts'
import type { Role } from '../../../../people/user.ts'
import { renderRoleOptions } from '../../people/members/form.ts'
import { roleNames } from '../../people/members/messages.ts'
import { renderConfirmationField } from '../../shell/confirmation-field.ts'
import type { Frame } from '../../shell/layout.ts'
import { renderAdminBadge, USERS_PATH } from '../users/list-page.ts'
import { userMessages as messages } from '../users/messages.ts'

export type MemberView = { id: number; email: string; role: Role; since: string; admin: boolean }

export type MemberForm = {
  email?: string
  role?: Role | undefined
  errors?: { email?: string; password?: string }
}

type MembersPanel = {
  accountId: number
  members: readonly MemberView[]
  form: MemberForm
  /** Whether members can be added. */
  canAddMembers: boolean
}

/** Renders the members of an account for admins, and the form that adds one. */
export function renderMembersPanel(frame: Frame, { members, ...panel }: MembersPanel): SafeHtml {
  const { email, role, created } = messages.columns
  return html`<section class="panel" aria-labelledby="members">
<h2 id="members">${messages.members}</h2>
<table class="cards">
<thead><tr><th scope="col">${email}</th><th scope="col">${role}</th><th scope="col">${created}</th></tr></thead>
<tbody>${members.map(
    (member) => html`<tr>
<th scope="row"><a href="${USERS_PATH}/${member.id}">${member.email}</a>${renderAdminBadge(member)}</th>
<td data-label="${role}">${roleNames[member.role]}</td>
<td data-label="${created}">${member.since}</td>
</tr>`,
  )}</tbody>
</table>
${panel.canAddMembers ? renderMemberForm(frame, panel) : null}
</section>`
}

function renderMemberForm(
  frame: Frame,
  { accountId, form }: Omit<MembersPanel, 'members'>,
): SafeHtml {
  const { email, role, errors = {} } = form
  return html`<details${errors.email || errors.password ? html` open` : null}><summary>${messages.addMember}</summary>
<form method="post" action="/console/operator/accounts/${accountId}/members">${csrfField(frame.csrf)}
${field({
  name: 'email',
  label: messages.columns.email,
  type: 'email',
  autocomplete: 'off',
  maxLength: 254,
  value: email ?? '',
  hint: messages.addMemberHint,
  ...(errors.email && { error: errors.email, autofocus: true }),
})}
<div class="field"><label for="role">${messages.role}</label><select id="role" name="role">${renderRoleOptions(role ?? 'editor')}</select></div>
${renderConfirmationField(frame, {
  name: 'memberPassword',
  label: messages.yourPassword,
  error: errors.password,
})}
<p class="actions"><button class="button quiet">${messages.addButton}</button></p>
</form></details>`
}
