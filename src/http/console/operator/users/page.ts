import { html, type SafeHtml } from '@remix-run/html-template'
import type { UserDetails } from '../../../../operator/operator-user.ts'
import { csrfField, type Field, field } from '../../../../pages/field.ts'
import { roleNames } from '../../people/members/messages.ts'
import type { Frame } from '../../shell/layout.ts'
import { operatorPage } from '../layout.ts'
import { adminBadge, USERS } from './list-page.ts'
import { userMessages as messages } from './messages.ts'

export type UserForm = {
  /** What is wrong, and the name of the field where it is; `form` for the whole. */
  fault?: { field: string; text: string }
  done?: string | undefined
}

type UserView = {
  user: UserDetails
  created: string
  /** Whether it is the user who looks at it. */
  own: boolean
  form: UserForm
}

/** One user, and what an admin may do for them. */
export function userPage(frame: Frame, view: UserView): string {
  const { user, created, form } = view
  const { fault, done } = form
  return operatorPage(frame, {
    title: user.email,
    at: USERS,
    body: html`<p class="eyebrow"><a href="${USERS}">${messages.title}</a></p>
<h1>${user.email}${adminBadge(user)}</h1>
${done ? html`<p class="inset told" role="status">${done}</p>` : null}
${fault?.field === 'form' ? html`<p class="notice" role="alert">${fault.text}</p>` : null}
<section class="panel" aria-labelledby="memberships"><h2 id="memberships">${messages.memberships}</h2>
${memberships(user)}
<dl class="facts"><dt>${messages.password}</dt><dd>${messages.passwordStates[user.hasPassword ? 'set' : 'none']}</dd>
<dt>${messages.secondFactor}</dt><dd>${messages.secondFactorStates[user.hasSecondFactor ? 'on' : 'off']}</dd>
<dt>${messages.columns.created}</dt><dd>${created}</dd></dl>
</section>
<div class="columns">
${resetForm(frame, view)}
${adminForm(frame, view)}
</div>
${user.hasSecondFactor ? removeFactorForm(frame, view) : null}`,
  })
}

function memberships({ memberships: all }: UserDetails): SafeHtml {
  if (all.length === 0) return html`<p class="soft">${messages.noMemberships}</p>`
  return html`<ul>${all.map(
    ({ accountId, username, role, suspended }) =>
      html`<li><a href="/console/operator/accounts/${accountId}">${username}</a>, ${roleNames[role]}${suspended ? `, ${messages.suspended}` : null}</li>`,
  )}</ul>`
}

function resetForm({ csrf }: Frame, { user, form }: UserView): SafeHtml {
  return html`<section class="panel" aria-labelledby="reset">
<h2 id="reset">${messages.reset}</h2>
<p class="soft">${messages.resetText}</p>
<form method="post" action="${USERS}/${user.id}/reset-link">${csrfField(csrf)}
${passwordField(form, 'resetPassword')}
<p class="actions"><button class="button">${messages.resetButton}</button></p>
</form>
</section>`
}

function adminForm({ csrf }: Frame, { user, own, form }: UserView): SafeHtml {
  return html`<section class="panel" aria-labelledby="admin">
<h2 id="admin">${messages.admin}</h2>
<p class="soft">${messages.adminText}${user.admin && own ? ` ${messages.ownText}` : null}</p>
<form method="post" action="${USERS}/${user.id}/admin">${csrfField(csrf)}<input type="hidden" name="admin" value="${user.admin ? 'off' : 'on'}">
${passwordField(form, 'adminPassword')}
<p class="actions"><button class="button quiet">${user.admin ? messages.remove : messages.grant}</button></p>
</form>
</section>`
}

function removeFactorForm({ csrf }: Frame, { user, form }: UserView): SafeHtml {
  return html`<section class="panel" aria-labelledby="second-factor">
<h2 id="second-factor">${messages.secondFactor}</h2>
<p class="soft">${messages.removeFactorText}</p>
<form method="post" action="${USERS}/${user.id}/remove-second-factor">${csrfField(csrf)}
${passwordField(form, 'factorPassword')}
<p class="actions"><button class="button danger">${messages.removeFactor}</button></p>
</form>
</section>`
}

function passwordField({ fault }: UserForm, name: string): SafeHtml {
  const options: Field = {
    name,
    label: messages.yourPassword,
    type: 'password',
    autocomplete: 'current-password',
  }
  const isWrong = fault?.field === name
  return field({ ...options, ...(isWrong && { error: fault.text, autofocus: true }) })
}
