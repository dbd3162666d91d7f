import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField } from '../../../pages/field.ts'
import { t } from '../../../texts.ts'

type PasskeyForm = {
  /** Whether to create a passkey or to sign in with one. */
  kind: 'create' | 'request'
  /** The options for the browser's passkey API. */
  options: object
  /** The path that the form posts to. */
  action: string
  csrf: string
  /** The console path to continue to. */
  next?: string | undefined
  /** The label of the button. */
  button: string
  error?: string | undefined
}

/**
 * Renders a form that submits the browser's response to passkey options. It requires scripts, which
 * make it visible.
 */
export function renderPasskeyForm(form: PasskeyForm): SafeHtml {
  const { kind, options, action, csrf, next, button, error } = form
  return html`<p class="error" id="passkey-error" role="alert"${error ? null : html` hidden`}>${error ?? null}</p>
<p class="soft" id="needs-scripts">${t('secondFactor.needsScripts')}</p>
<form method="post" action="${action}" data-passkey="${kind}" data-options="${JSON.stringify(options)}" data-unsupported="${t('secondFactor.passkeyErrors.unsupported')}" data-cancelled="${t('secondFactor.passkeyErrors.cancelled')}" data-known="${t('secondFactor.passkeyErrors.known')}" hidden>
${csrfField(csrf)}
${next ? html`<input type="hidden" name="next" value="${next}">` : null}
<input type="hidden" name="credential" value="">
<button class="button full">${button}</button>
</form>`
}

/** Renders the button that starts a sign-in with a passkey only. */
export function renderPasskeyButton(csrf: string, next?: string): SafeHtml {
  return html`<form method="post" action="/console/sign-in/passkey">
${csrfField(csrf)}
${next ? html`<input type="hidden" name="next" value="${next}">` : null}
<button class="button quiet full">${t('secondFactor.signInWithPasskey')}</button>
</form>`
}
