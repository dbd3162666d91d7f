import { html, type SafeHtml } from '@remix-run/html-template'
import type { UserDetails } from '../../../../operator/operator-user.ts'
import { csrfField } from '../../../../pages/field.ts'
import { t } from '../../../../texts.ts'
import { renderConfirmationField } from '../../kit/confirmation.ts'
import type { FieldError } from '../../shell/field-error.ts'
import type { Frame } from '../../shell/layout.ts'
import { renderOperatorPage } from '../layout.ts'
import { renderAdminBadge, USERS_PATH } from './list.ts'

export type UserForm = {
  /** The error, and the name of its field or `form`. */
  fieldError?: FieldError
  confirmation?: string | undefined
}

type UserView = {
  user: UserDetails
  created: string
  /** Whether the admin is viewing their own page. */
  isOwn: boolean
  /** Whether sign-in by password is enabled. */
  allowsPasswords: boolean
  form: UserForm
}

/** Renders a user and the admin's actions. */
export function renderUserPage(frame: Frame, view: UserView): string {
  const { user, created, form } = view
  const { fieldError, confirmation } = form
  return renderOperatorPage(frame, {
    title: user.email,
    currentSection: USERS_PATH,
    body: html`<p class="eyebrow"><a href="${USERS_PATH}">${t('admin.user.title')}</a></p>
<h1>${user.email}${renderAdminBadge(user)}</h1>
${confirmation ? html`<p class="inset told" role="status">${confirmation}</p>` : null}
${fieldError?.field === 'form' ? html`<p class="notice" role="alert">${fieldError.text}</p>` : null}
<section class="panel" aria-labelledby="memberships"><h2 id="memberships">${t('admin.user.memberships')}</h2>
${renderMemberships(user)}
<dl class="facts"><dt>${t('admin.user.password')}</dt><dd>${t(`admin.user.passwordStates.${user.hasPassword ? 'set' : 'none'}`)}</dd>
<dt>${t('admin.user.secondFactor')}</dt><dd>${t(`admin.user.secondFactorStates.${user.hasSecondFactor ? 'on' : 'off'}`)}</dd>
<dt>${t('admin.user.email')}</dt><dd>${t(`admin.user.emailStates.${user.emailVerified ? 'confirmed' : 'unconfirmed'}`)}</dd>
<dt>${t('admin.user.columns.created')}</dt><dd>${created}</dd></dl>
</section>
<div class="columns">
${view.allowsPasswords ? renderResetForm(frame, view) : null}
${renderAdminForm(frame, view)}
</div>
${frame.hasProvider ? renderProviderForms(frame, view) : null}
${user.hasSecondFactor ? renderRemoveFactorForm(frame, view) : null}`,
  })
}

function renderMemberships({ memberships: all }: UserDetails): SafeHtml {
  if (all.length === 0) return html`<p class="soft">${t('admin.user.noMemberships')}</p>`
  return html`<ul>${all.map(
    ({ accountId, username, role, suspended }) =>
      html`<li><a href="/console/operator/accounts/${accountId}">${username}</a>, ${t(`roles.${role}`)}${suspended ? `, ${t('admin.user.suspended')}` : null}</li>`,
  )}</ul>`
}

function renderResetForm(frame: Frame, { user, form }: UserView): SafeHtml {
  return html`<section class="panel" aria-labelledby="reset">
<h2 id="reset">${t('admin.user.reset')}</h2>
<p class="soft">${t('admin.user.resetText')}</p>
<form method="post" action="${USERS_PATH}/${user.id}/reset-link">${csrfField(frame.csrf)}
${renderPasswordField(frame, form, 'resetPassword')}
<p class="actions"><button class="button">${t('admin.user.resetButton')}</button></p>
</form>
</section>`
}

function renderProviderForms(frame: Frame, { user, form }: UserView): SafeHtml {
  if (!user.isConnected && user.emailVerified) {
    return html`<section class="panel" aria-labelledby="provider"><h2 id="provider">${t('admin.user.provider.title')}</h2>
<p class="soft">${t('admin.user.provider.notConnected')}</p></section>`
  }
  const [action, text, button] = user.isConnected
    ? ['disconnect', t('admin.user.provider.connectedText'), t('admin.user.provider.disconnect')]
    : ['confirm-email', t('admin.user.provider.confirmText'), t('admin.user.provider.confirm')]
  return html`<section class="panel" aria-labelledby="provider">
<h2 id="provider">${t('admin.user.provider.title')}</h2>
<p class="soft">${text}</p>
<form method="post" action="${USERS_PATH}/${user.id}/${action}">${csrfField(frame.csrf)}
${renderPasswordField(frame, form, 'providerPassword')}
<p class="actions"><button class="button quiet">${button}</button></p>
</form>
</section>`
}

function renderAdminForm(frame: Frame, { user, isOwn, form }: UserView): SafeHtml {
  return html`<section class="panel" aria-labelledby="admin">
<h2 id="admin">${t('admin.user.admin')}</h2>
<p class="soft">${t('admin.user.adminText')}${user.admin && isOwn ? ` ${t('admin.user.ownText')}` : null}</p>
<form method="post" action="${USERS_PATH}/${user.id}/admin">${csrfField(frame.csrf)}<input type="hidden" name="admin" value="${user.admin ? 'off' : 'on'}">
${renderPasswordField(frame, form, 'adminPassword')}
<p class="actions"><button class="button quiet">${user.admin ? t('admin.user.remove') : t('admin.user.grant')}</button></p>
</form>
</section>`
}

function renderRemoveFactorForm(frame: Frame, { user, form }: UserView): SafeHtml {
  return html`<section class="panel" aria-labelledby="second-factor">
<h2 id="second-factor">${t('admin.user.secondFactor')}</h2>
<p class="soft">${t('admin.user.removeFactorText')}</p>
<form method="post" action="${USERS_PATH}/${user.id}/remove-second-factor">${csrfField(frame.csrf)}
${renderPasswordField(frame, form, 'factorPassword')}
<p class="actions"><button class="button danger">${t('admin.user.removeFactor')}</button></p>
</form>
</section>`
}

function renderPasswordField(frame: Frame, { fieldError }: UserForm, name: string): SafeHtml {
  const error = fieldError?.field === name ? fieldError.text : undefined
  return renderConfirmationField(frame, { name, label: t('admin.user.yourPassword'), error })
}
