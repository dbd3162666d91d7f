import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField, field } from '../../../../pages/field.ts'
import { timeZoneField } from '../../../../pages/time-zone-field.ts'
import type { OpenInvitation } from '../../../../people/invitation.ts'
import { t } from '../../../../texts.ts'
import { renderPlainPage } from '../../shell/plain-page.ts'

type InvitationPage = {
  nonce: string
  csrf: string
  invitation: OpenInvitation
  /** The email address of the signed-in user. */
  signedInAs?: string | undefined
  errors?: { password?: string; form?: string }
  /** Whether people sign in with a password. */
  allowsPasswords: boolean
  /** The form that accepts with the identity provider, if configured. */
  provider?: { name: string; action: string } | undefined
}

/**
 * Renders the page of an invitation link. It posts `csrf`, `password` and `timeZone` to its own
 * URL, which contains the token.
 */
export function renderInvitationPage(page: InvitationPage): string {
  const { nonce, csrf, invitation, signedInAs, allowsPasswords, provider, errors = {} } = page
  const { account, role, email } = invitation
  return renderPlainPage({
    title: t('invitation.join', { account }),
    nonce,
    body: html`<h1>${t('invitation.join', { account })}</h1>
<p class="soft">${t('invitation.intro', { role })}</p>
${errors.form ? html`<p class="notice" role="alert">${errors.form}</p>` : null}
${signedInAs === undefined && provider ? renderProviderForm(csrf, provider) : null}
${signedInAs === undefined && !allowsPasswords ? null : renderAcceptForm(page)}
${signedInAs === undefined || signedInAs === email ? null : html`<p class="small soft">${t('invitation.otherEmail', { email })}</p>`}`,
  })
}

function renderProviderForm(
  csrf: string,
  { name, action }: { name: string; action: string },
): SafeHtml {
  return html`<form method="post" action="${action}">${csrfField(csrf)}
<button class="button full">${t('oidc.acceptWith', { name })}</button>
</form>`
}

function renderAcceptForm({
  nonce,
  csrf,
  invitation,
  signedInAs,
  errors = {},
}: InvitationPage): SafeHtml {
  return html`<form method="post">
${csrfField(csrf)}
${invitation.isKnown ? null : timeZoneField(nonce)}
${signedInAs === undefined ? renderPasswordField(invitation, errors) : html`<p>${t('invitation.joinAs', { email: signedInAs })}</p>`}
<button class="button full">${t('invitation.accept')}</button>
</form>`
}

function renderPasswordField(
  { email, isKnown }: OpenInvitation,
  { password: error }: { password?: string },
): SafeHtml {
  return html`<p>${isKnown ? t('invitation.signInAs', { email }) : t('invitation.createPassword', { email })}</p>
<input type="text" name="email" value="${email}" autocomplete="username" readonly hidden>
${field({
  name: 'password',
  label: t('shell.fields.password'),
  type: 'password',
  autocomplete: isKnown ? 'current-password' : 'new-password',
  ...(!isKnown && { minLength: 8, hint: t('shell.fields.passwordHint') }),
  ...(error && { error }),
  autofocus: true,
})}`
}

/** Renders the page of an invitation that cannot be accepted, with the reason in `text`. */
export function renderInvitationRejectedPage({
  nonce,
  text,
}: {
  nonce: string
  text: string
}): string {
  return renderPlainPage({
    title: t('invitation.title'),
    nonce,
    body: html`<h1>${t('signIn.linkInvalid')}</h1>
<p class="soft">${text}</p>
<p class="actions"><a class="button" href="/console/sign-in">${t('signIn.button')}</a></p>`,
  })
}
