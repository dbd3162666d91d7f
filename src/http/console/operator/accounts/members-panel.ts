import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField, field } from '../../../../pages/field.ts'
import type { Role } from '../../../../people/user.ts'
import { t } from '../../../../texts.ts'
import { renderConfirmationField } from '../../kit/confirmation.ts'
import { renderOptions } from '../../kit/fields.ts'
import { listRoleChoices } from '../../members.ts'
import type { Frame } from '../../shell/layout.ts'
import { renderAdminBadge, USERS_PATH } from '../users/list.ts'

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
  return html`<section class="panel" aria-labelledby="members">
<h2 id="members">${t('admin.user.members')}</h2>
<table class="cards">
<thead><tr><th scope="col">${t('admin.user.columns.email')}</th><th scope="col">${t('admin.user.columns.role')}</th><th scope="col">${t('admin.user.columns.created')}</th></tr></thead>
<tbody>${members.map(
    (member) => html`<tr>
<th scope="row"><a href="${USERS_PATH}/${member.id}">${member.email}</a>${renderAdminBadge(member)}</th>
<td data-label="${t('admin.user.columns.role')}">${t(`roles.${member.role}`)}</td>
<td data-label="${t('admin.user.columns.created')}">${member.since}</td>
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
  return html`<details${errors.email || errors.password ? html` open` : null}><summary>${t('admin.user.addMember')}</summary>
<form method="post" action="/console/operator/accounts/${accountId}/members">${csrfField(frame.csrf)}
${field({
  name: 'email',
  label: t('admin.user.columns.email'),
  type: 'email',
  autocomplete: 'off',
  maxLength: 254,
  value: email ?? '',
  hint: t('admin.user.addMemberHint'),
  ...(errors.email && { error: errors.email, autofocus: true }),
})}
<div class="field"><label for="role">${t('admin.user.role')}</label><select id="role" name="role">${renderOptions(listRoleChoices(), role ?? 'editor')}</select></div>
${renderConfirmationField(frame, {
  name: 'memberPassword',
  label: t('admin.user.yourPassword'),
  error: errors.password,
})}
<p class="actions"><button class="button quiet">${t('admin.user.addButton')}</button></p>
</form></details>`
}
