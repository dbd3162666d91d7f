import { html } from '@remix-run/html-template'
import { csrfField, emailField, field } from '../../../../pages/field.ts'
import { t } from '../../../../texts.ts'
import { renderConfirmationField } from '../../kit/confirmation.ts'
import type { Frame } from '../../shell/layout.ts'
import { renderOperatorPage } from '../layout.ts'

export type NewAccountForm = {
  values?: { email: string; username: string; plan: string }
  errors?: { email?: string; username?: string; password?: string; form?: string }
}

const PATH = '/console/operator/accounts'

/** Renders the form that creates an account for another person. */
export function renderNewAccountPage(
  frame: Frame,
  { values, errors = {} }: NewAccountForm,
): string {
  const selectedPlan = values?.plan ?? 'free'
  return renderOperatorPage(frame, {
    title: t('admin.user.newAccount'),
    currentSection: PATH,
    body: html`<p class="eyebrow"><a href="${PATH}">${t('admin.account.list')}</a></p>
<h1>${t('admin.user.newAccount')}</h1>
<p class="soft">${t('admin.user.newAccountText')}</p>
${errors.form ? html`<p class="notice" role="alert">${errors.form}</p>` : null}
<section class="panel" aria-label="${t('admin.user.newAccount')}">
<form method="post" action="${PATH}">${csrfField(frame.csrf)}
${emailField(values, errors, t('admin.user.ownerEmail'))}
${field({
  name: 'username',
  label: t('admin.user.username'),
  autocomplete: 'off',
  value: values?.username ?? '',
  hint: t('admin.user.usernameHint'),
  ...(errors.username && { error: errors.username, autofocus: true }),
})}
<div class="field"><label for="plan">${t('admin.user.plan')}</label><select id="plan" name="plan">${['free', 'pro'].map((plan) => html`<option value="${plan}"${plan === selectedPlan ? html` selected` : null}>${plan}</option>`)}</select></div>
${renderConfirmationField(frame, {
  name: 'ownPassword',
  label: t('admin.user.yourPassword'),
  error: errors.password,
})}
<p class="actions"><button class="button">${t('admin.user.createAccount')}</button></p>
</form>
</section>`,
  })
}
