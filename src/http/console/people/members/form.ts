import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField, field } from '../../../../pages/field.ts'
import { ROLES, type Role } from '../../../../people/user.ts'
import { t } from '../../../../texts.ts'
import { renderConfirmationField } from '../../kit/confirmation.ts'
import type { Frame } from '../../shell/layout.ts'

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
  label: t('shell.fields.email'),
  type: 'email',
  autocomplete: 'off',
  maxLength: 254,
  value: email ?? '',
  ...(errors.email && { error: errors.email, autofocus: true }),
})}
<div class="field"><label for="role">${t('member.role')}</label>
<select id="role" name="role" aria-describedby="role-hint">${renderRoleOptions(role ?? 'editor')}</select>
<p class="hint" id="role-hint">${t('member.roleHint')}</p></div>
${renderConfirmationField(frame, {
  name: 'currentPassword',
  label: t('shell.fields.yourPassword'),
  optional: true,
  hint: t('member.inviteOwnerHint'),
  error: errors.currentPassword,
})}
<p class="actions"><button class="button">${t('member.invite')}</button></p>
</form>`
}

export function renderRoleOptions(
  selected: Role,
  roles: readonly Role[] = ROLES.toReversed(),
): SafeHtml[] {
  return roles.map(
    (role) =>
      html`<option value="${role}"${role === selected ? html` selected` : null}>${t(`roles.${role}`)}</option>`,
  )
}
