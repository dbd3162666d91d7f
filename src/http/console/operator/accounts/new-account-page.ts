import { html } from '@remix-run/html-template'
import { csrfField, emailField, field } from '../../../../pages/field.ts'
import { renderConfirmationField } from '../../shell/confirmation-field.ts'
import type { Frame } from '../../shell/layout.ts'
import { renderOperatorPage } from '../layout.ts'
import { userMessages as messages } from '../users/messages.ts'
import { accountMessages } from './messages.ts'

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
    title: messages.newAccount,
    currentSection: PATH,
    body: html`<p class="eyebrow"><a href="${PATH}">${accountMessages.list}</a></p>
<h1>${messages.newAccount}</h1>
<p class="soft">${messages.newAccountText}</p>
${errors.form ? html`<p class="notice" role="alert">${errors.form}</p>` : null}
<section class="panel" aria-label="${messages.newAccount}">
<form method="post" action="${PATH}">${csrfField(frame.csrf)}
${emailField(values, errors, messages.ownerEmail)}
${field({
  name: 'username',
  label: messages.username,
  autocomplete: 'off',
  value: values?.username ?? '',
  hint: messages.usernameHint,
  ...(errors.username && { error: errors.username, autofocus: true }),
})}
<div class="field"><label for="plan">${messages.plan}</label><select id="plan" name="plan">${['free', 'pro'].map((plan) => html`<option value="${plan}"${plan === selectedPlan ? html` selected` : null}>${plan}</option>`)}</select></div>
${renderConfirmationField(frame, {
  name: 'ownPassword',
  label: messages.yourPassword,
  error: errors.password,
})}
<p class="actions"><button class="button">${messages.createAccount}</button></p>
</form>
</section>`,
  })
}
