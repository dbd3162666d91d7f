import { html } from '@remix-run/html-template'
import { listDestinationSchemes } from '../urls/destination-url.ts'
import type { CspExtras } from './csp.ts'
import { csrfField, field } from './field.ts'
import { page } from './layout.ts'
import { reportLine } from './report.ts'
import { safeAction } from './safe-url.ts'
import type { PageContext } from './texts.ts'
import { visitorText } from './texts.ts'

/**
 * The reason why a password was rejected. `too_many_attempts` limits one visitor, `link_waits` all
 * visitors of the link. `busy` means that the server could not check the password.
 */
export type PasswordError = 'wrong' | 'too_many_attempts' | 'link_waits' | 'busy'

export type PasswordPage = Pick<PageContext, 'language'> & {
  /** Not needed if the policy allows the style by its hash. */
  nonce?: string
  /** The short URL or its path. If undefined, browsers post to the current URL. */
  action?: string
  csrf?: string
  error?: PasswordError
  /** The path of the report form. */
  reportPath?: string
}

const messageKeys = {
  wrong: 'wrong',
  too_many_attempts: 'tooManyAttempts',
  link_waits: 'linkWaits',
  busy: 'busy',
} as const satisfies Record<PasswordError, string>

/**
 * Allows any site. Chromium checks `form-action` for every redirect after a form, so with only
 * `'self'`, a correct password could not redirect to the destination. The destination's origin would
 * reveal it before the password is entered.
 */
export const passwordPolicy: CspExtras = {
  get formAction() {
    return ["'self'", ...listDestinationSchemes()]
  },
}

/**
 * Renders the form for a link's password. Posts `password` to `action`. Reveals nothing about the
 * destination and sends no referrer, which causes browsers to send `Origin: null` with the form.
 * Needs `passwordPolicy`.
 */
export function passwordPage({
  nonce,
  language,
  action,
  csrf,
  error,
  reportPath,
}: PasswordPage): string {
  return page({
    title: visitorText(language, 'password.title'),
    nonce,
    language,
    head: html`<meta name="referrer" content="no-referrer">`,
    body: html`<h1>${visitorText(language, 'password.title')}</h1>
<p class="soft">${visitorText(language, 'password.text')}</p>
<form method="post"${action === undefined ? null : html` action="${safeAction(action)}"`}>
${csrfField(csrf)}
${field({
  name: 'password',
  label: visitorText(language, 'password.label'),
  type: 'password',
  autocomplete: 'current-password',
  error: error && visitorText(language, `password.${messageKeys[error]}`),
  autofocus: true,
})}
<button class="button full">${visitorText(language, 'password.open')}</button>
</form>
${reportLine(language, reportPath)}`,
  })
}
