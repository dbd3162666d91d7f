import { html, type SafeHtml } from '@remix-run/html-template'
import { type Field, field } from '../../../pages/field.ts'
import { t } from '../../../texts.ts'
import type { Frame } from './layout.ts'

type Confirmation = { name: string; label: string; hint?: string; optional?: boolean } & {
  error?: string | undefined
}

/**
 * Renders the password field that confirms a change. Users without a password confirm it by a recent
 * sign-in: for them, renders a note instead.
 */
export function renderConfirmationField(
  frame: Frame,
  { error, ...options }: Confirmation,
): SafeHtml {
  if (!frame.confirmsByPassword) return renderSignInAgain(frame)
  const passwordField: Field = { ...options, type: 'password', autocomplete: 'current-password' }
  return field({ ...passwordField, ...(error && { error, autofocus: true }) })
}

/**
 * Renders the note that a recent sign-in is required. With an identity provider, it has a link to
 * sign in again.
 */
export function renderSignInAgain({ path, hasProvider }: Frame): SafeHtml {
  const href = `/console/oidc/start?${new URLSearchParams({ again: '1', next: path })}`
  return html`<p class="hint">${t('shell.confirmed')}${hasProvider ? html` <a href="${href}">${t('shell.signInAgain')}</a>` : null}</p>`
}
