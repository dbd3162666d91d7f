import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField } from '../../../../pages/field.ts'
import type { Role } from '../../../../people/user.ts'
import { t } from '../../../../texts.ts'
import { renderConfirmationField } from '../../kit/confirmation.ts'
import type { Frame } from '../../shell/layout.ts'
import { renderRoleOptions } from './form.ts'

export type MemberView = {
  id: number
  email: string
  role: Role
  since: string
  isSelf: boolean
  /** The error of the last change of this member. */
  error?: string | undefined
}

/**
 * Renders the forms that change a member. They ask for the password only if the change requires it:
 * changes of other owners, and granting the owner role.
 */
export function renderMemberForms(frame: Frame, member: MemberView): SafeHtml {
  const { role, isSelf } = member
  const isOtherOwner = role === 'owner' && !isSelf
  return html`${renderRoleForm(frame, member, isOtherOwner)}
${role === 'owner' ? null : renderMakeOwnerForm(frame, member)}
${isOtherOwner ? null : renderRemoveForm(frame, member)}`
}

function renderRoleForm(
  frame: Frame,
  { id, email, role }: MemberView,
  isOtherOwner: boolean,
): SafeHtml {
  const roles = role === 'owner' ? undefined : (['editor', 'viewer'] as const)
  return html`<form method="post" action="/console/members/${id}/role">${csrfField(frame.csrf)}
<div class="field"><label for="role-${id}">${t('member.role')}</label><select id="role-${id}" name="role">${renderRoleOptions(role, roles)}</select></div>
${isOtherOwner ? renderPasswordField(frame, id) : null}
<p class="actions"><button class="button quiet small">${t('member.saveRole')}</button>${isOtherOwner ? html`<button class="button danger small" formaction="/console/members/${id}/remove">${renderRemoveText(email)}</button>` : null}</p>
</form>`
}

function renderMakeOwnerForm(frame: Frame, { id, email }: MemberView): SafeHtml {
  return html`<details><summary>${t('member.makeOwner')}<span class="hidden-text">: ${email}</span></summary>
<form method="post" action="/console/members/${id}/role">${csrfField(frame.csrf)}
<input type="hidden" name="role" value="owner">
${renderPasswordField(frame, id)}
<p class="actions"><button class="button quiet small">${t('member.makeOwner')}</button></p>
</form></details>`
}

function renderRemoveForm({ csrf }: Frame, { id, email }: MemberView): SafeHtml {
  return html`<form method="post" action="/console/members/${id}/remove">${csrfField(csrf)}
<p class="actions"><button class="button danger small">${renderRemoveText(email)}</button></p>
</form>`
}

function renderRemoveText(email: string): SafeHtml {
  return html`${t('member.remove')}<span class="hidden-text"> ${email}</span>`
}

function renderPasswordField(frame: Frame, id: number): SafeHtml {
  return renderConfirmationField(frame, {
    name: `password-${id}`,
    label: t('shell.fields.yourPassword'),
  })
}
