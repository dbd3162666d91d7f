import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField, field } from '../../../../pages/field.ts'
import { page } from '../../../../pages/layout.ts'
import { timeZoneField } from '../../../../pages/time-zone-field.ts'
import type { OpenInvitation } from '../../../../people/invitation.ts'
import { roleNames } from '../members/messages.ts'

type InvitationPage = {
  nonce: string
  csrf: string
  invitation: OpenInvitation
  /** The email address of whoever is signed in. */
  signedInAs?: string | undefined
  errors?: { password?: string; form?: string }
}

/** What an invitation link opens. It posts `csrf`, `password` and `timeZone` to its own URL, which holds the token. */
export function invitationPage(shown: InvitationPage): string {
  const { nonce, csrf, invitation, signedInAs, errors = {} } = shown
  const { account, role, email } = invitation
  return page({
    title: `Join ${account} – Brevis`,
    nonce,
    body: html`<h1>Join ${account}</h1>
<p class="soft">You've been invited to work in this account as ${roleNames[role].toLowerCase()}.</p>
${errors.form ? html`<p class="notice" role="alert">${errors.form}</p>` : null}
<form method="post">
${csrfField(csrf)}
${invitation.isKnown ? null : timeZoneField(nonce)}
${signedInAs === undefined ? passwordField(invitation, errors) : html`<p>You'll join as ${signedInAs}.</p>`}
<button class="button full">Accept invitation</button>
</form>
${signedInAs === undefined || signedInAs === email ? null : html`<p class="small soft">The invitation was sent to ${email}. To join as someone else, sign out first.</p>`}`,
  })
}

function passwordField(
  { email, isKnown }: OpenInvitation,
  { password: error }: { password?: string },
): SafeHtml {
  return html`<p>${isKnown ? `Sign in as ${email}.` : `Create a password for ${email}.`}</p>
<input type="text" name="email" value="${email}" autocomplete="username" readonly hidden>
${field({
  name: 'password',
  label: 'Password',
  type: 'password',
  autocomplete: isKnown ? 'current-password' : 'new-password',
  ...(!isKnown && { minLength: 8, hint: '8 to 200 characters.' }),
  ...(error && { error }),
  autofocus: true,
})}`
}

/** The page of an invitation that cannot be accepted: `text` says why. */
export function invitationRefusedPage({ nonce, text }: { nonce: string; text: string }): string {
  return page({
    title: 'Invitation – Brevis',
    nonce,
    body: html`<h1>This link doesn't work</h1>
<p class="soft">${text}</p>
<p class="actions"><a class="button" href="/console/sign-in">Sign in</a></p>`,
  })
}
