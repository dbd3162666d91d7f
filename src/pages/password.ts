import { html } from '@remix-run/html-template'
import type { CspExtras } from './csp.ts'
import { csrfField, field } from './field.ts'
import { page } from './layout.ts'
import { reportLine } from './report.ts'
import { safeAction } from './safe-url.ts'

export type PasswordError = 'wrong' | 'too_many_attempts' | 'link_waits' | 'busy'

export type PasswordPage = {
  /** Left out with a policy that has the style's hash. */
  nonce?: string
  /** The short URL itself or its path; left out, browsers post to wherever the page is. */
  action?: string
  csrf?: string
  error?: PasswordError
  /** Where the link is reported. */
  report?: string
}

const errors: Record<PasswordError, string> = {
  wrong: 'That password is not right. Please try again.',
  too_many_attempts: 'Too many tries. Please wait a minute and try again.',
  link_waits: 'Too many wrong passwords were tried here. Please wait a while and try again.',
  busy: 'We are busy right now. Please try again in a moment.',
}

/**
 * Chromium checks `form-action` again on every redirect that answers a form, so the right password
 * could not lead to the target under `'self'`. Naming the target's origin would give it away
 * before the password, hence any site.
 */
export const passwordPolicy: CspExtras = { formAction: ["'self'", 'https:', 'http:'] }

/**
 * The question for a link's password; posts `password` to `action`. Says nothing about the target
 * and sends no referrer, so browsers send `Origin: null` with the form. Needs `passwordPolicy`.
 */
export function passwordPage({ nonce, action, csrf, error, report }: PasswordPage): string {
  return page({
    title: 'Password needed',
    nonce,
    head: html`<meta name="referrer" content="no-referrer">`,
    body: html`<h1>Password needed</h1>
<p class="soft">Whoever shared this link has protected it with a password.</p>
<form method="post"${action === undefined ? null : html` action="${safeAction(action)}"`}>
${csrfField(csrf)}
${field({
  name: 'password',
  label: 'Password',
  type: 'password',
  autocomplete: 'current-password',
  error: error && errors[error],
  autofocus: true,
})}
<button class="button full">Open link</button>
</form>
${reportLine(report)}`,
  })
}
