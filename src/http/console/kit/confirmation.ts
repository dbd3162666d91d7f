import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyRequest } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { AppError } from '../../../errors.ts'
import { verifyPassword } from '../../../identity/session.service.ts'
import { type Field, field } from '../../../pages/field.ts'
import { t } from '../../../texts.ts'
import type { FormFrame } from '../shell/layout.ts'

/** Longer input is cut before hashing. It is wrong anyway: passwords have at most 200 characters. */
const MAX_PASSWORD_LENGTH = 1000
/** The milliseconds after signing in during which a user without a password counts as confirmed. */
const RECENT_MS = 600_000

/**
 * Re-authenticates the signed-in user before a sensitive change. Verifies the password. A user without
 * one must have signed in within the last ten minutes.
 *
 * @throws AppError `invalid_input` naming `currentPassword`, `sign_in_again`, `rate_limited`, `busy`
 */
export async function confirmPassword(
  ctx: HttpContext,
  { session, ip: address }: FastifyRequest,
  password: string,
): Promise<void> {
  if (!session.user.hasPassword) {
    const age = ctx.clock().getTime() - session.startedAt.getTime()
    if (Math.abs(age) > RECENT_MS) throw new AppError('sign_in_again')
    return
  }
  await verifyPassword(ctx, ctx.db, session.user, {
    password: password.slice(0, MAX_PASSWORD_LENGTH),
    address,
  })
}

type Confirmation = Pick<Field, 'name' | 'label' | 'hint' | 'error' | 'optional' | 'autofocus'>

/**
 * Renders the password field that confirms a change. Users without a password confirm it by a recent
 * sign-in: for them, renders a note instead.
 */
export function renderConfirmationField(frame: FormFrame, options: Confirmation): SafeHtml {
  if (!frame.confirmsByPassword) return renderSignInAgain(frame)
  return field({ ...options, type: 'password', autocomplete: 'current-password' })
}

/**
 * Renders the note that a recent sign-in is required. With an identity provider, it has a link to
 * sign in again.
 */
export function renderSignInAgain({ path, hasProvider }: FormFrame): SafeHtml {
  const href = `/console/oidc/start?${new URLSearchParams({ again: '1', next: path })}`
  return html`<p class="hint">${t('shell.confirmed')}${hasProvider ? html` <a href="${href}">${t('shell.signInAgain')}</a>` : null}</p>`
}
