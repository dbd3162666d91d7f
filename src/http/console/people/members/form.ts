import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField, field } from '../../../../pages/field.ts'
import { ROLES, type Role } from '../../../../people/user.ts'
import { renderConfirmationField } from '../../shell/confirmation-field.ts'
import type { Frame } from '../../shell/layout.ts'
import { shellMessages } from '../../shell/messages.ts'
import { memberMessages as messages, roleNames } from './messages.ts'

export type InviteForm = {
  email?: string
  role?: Role | undefined
  errors?: { email?: string; currentPassword?: string; form?: string }
}

/** Renders the form that invites a member. */
export function renderInviteForm(frame: Frame, { email, role, errors = {} }: InviteForm): SafeHtml {
  return html`<form method="post" action="/console/members/invite">${csrfField(frame.csrf)}
${field({
  name: 'email',
  label: shellMessages.fields.email,
  type: 'email',
  autocomplete: 'off',
  maxLength: 254,
  value: email ?? '',
  ...(errors.email && { error: errors.email, autofocus: true }),
})}
<div class="field"><label for="role">${messages.role}</label>
<select id="role" name="role" aria-describedby="role-hint">${renderRoleOptions(role ?? 'editor')}</select>
<p class="hint" id="role-hint">${messages.roleHint}</p></div>
${renderConfirmationField(frame, {
  name: 'currentPassword',
  label: shellMessages.fields.yourPassword,
  optional: true,
  hint: messages.inviteOwnerHint,
  error: errors.currentPassword,
})}
<p class="actions"><button class="button">${messages.invite}</button></p>
</form>`
}

export function renderRoleOptions(
  selected: Role,
  roles: readonly Role[] = ROLES.toReversed(),
): SafeHtml[] {
  return roles.map(
    (role) =>
      html`<option value="${role}"${role === selected ? html` selected` : null}>${roleNames[role]}</option>`,
  )
}
