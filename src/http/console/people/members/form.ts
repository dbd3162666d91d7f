import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField, field } from '../../../../pages/field.ts'
import { ROLES, type Role } from '../../../../people/user.ts'
import { confirmationField } from '../../shell/confirmation-field.ts'
import type { Frame } from '../../shell/layout.ts'
import { roleNames } from './messages.ts'

export type InviteForm = {
  email?: string
  role?: Role | undefined
  errors?: { email?: string; currentPassword?: string; form?: string }
}

/** Renders the form that invites a member. */
export function inviteForm(frame: Frame, { email, role, errors = {} }: InviteForm): SafeHtml {
  return html`<form method="post" action="/console/members/invite">${csrfField(frame.csrf)}
${field({
  name: 'email',
  label: 'Email',
  type: 'email',
  autocomplete: 'off',
  maxLength: 254,
  value: email ?? '',
  ...(errors.email && { error: errors.email, autofocus: true }),
})}
<div class="field"><label for="role">Role</label>
<select id="role" name="role" aria-describedby="role-hint">${roleOptions(role ?? 'editor')}</select>
<p class="hint" id="role-hint">Editors manage links. Viewers only read. Owners do everything.</p></div>
${confirmationField(frame, {
  name: 'currentPassword',
  label: 'Your password',
  optional: true,
  hint: 'Required to invite an owner.',
  error: errors.currentPassword,
})}
<p class="actions"><button class="button">Invite</button></p>
</form>`
}

export function roleOptions(selected: Role): SafeHtml[] {
  return ROLES.toReversed().map(
    (role) =>
      html`<option value="${role}"${role === selected ? html` selected` : null}>${roleNames[role]}</option>`,
  )
}
