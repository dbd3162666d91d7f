import { html, type SafeHtml } from '@remix-run/html-template'

export type Field = {
  name: string
  label: string
  /** `multiline` renders a text area. */
  type?: 'text' | 'email' | 'password' | 'date' | 'time' | 'multiline'
  /** Whether it may be empty. */
  optional?: boolean
  autocomplete:
    | 'email'
    | 'username'
    | 'username webauthn'
    | 'name'
    | 'new-password'
    | 'current-password'
    | 'one-time-code'
    | 'off'
  value?: string
  hint?: string | undefined
  error?: string | undefined
  minLength?: number
  maxLength?: number
  autofocus?: boolean
  /** Additional attributes, each preceded by a space. */
  attributes?: SafeHtml
}

/** Renders the field `email` with its value and error. */
export function emailField(
  values: { email?: string } = {},
  errors: { email?: string } = {},
  label = 'Email',
): SafeHtml {
  return field({
    name: 'email',
    label,
    type: 'email',
    autocomplete: 'email',
    value: values.email,
    error: errors.email,
    maxLength: 254,
  })
}

/**
 * Renders a form field with a label, and associates its hint and error with it. A field named
 * `username` is not capitalized or spell-checked.
 */
export function field({ name, label, type = 'text', value = '', hint, error, ...options }: Field) {
  const describedBy = [hint && `${name}-hint`, error && `${name}-error`].filter(Boolean).join(' ')
  const attributes = html`id="${name}" name="${name}"${options.optional ? null : html` required`} autocomplete="${options.autocomplete}"${[
    describedBy ? html` aria-describedby="${describedBy}"` : null,
    error ? html` aria-invalid="true"` : null,
    options.minLength === undefined ? null : html` minlength="${options.minLength}"`,
    options.maxLength === undefined ? null : html` maxlength="${options.maxLength}"`,
    options.autofocus ? html` autofocus` : null,
    options.attributes ?? null,
    name === 'username' ? html` autocapitalize="none" spellcheck="false"` : null,
  ]}`
  // Parsers drop one line feed after <textarea>. This one is added so that a line feed in the value
  // is preserved.
  const control =
    type === 'multiline'
      ? html`<textarea rows="3" ${attributes}>
${value}</textarea>`
      : html`<input type="${type}" value="${value}" ${attributes}>`
  return html`<div class="field">
<label for="${name}">${label}</label>
${control}
${hint ? html`<p class="hint" id="${name}-hint">${hint}</p>` : null}
${error ? html`<p class="error" id="${name}-error" role="alert">${error}</p>` : null}
</div>`
}

/** Renders the hidden field with the form token, or nothing without a token. */
export function csrfField(csrf: string | undefined): SafeHtml | null {
  return csrf ? html`<input type="hidden" name="csrf" value="${csrf}">` : null
}

/** Renders a hidden field `timeZone` that a script fills in with the browser's time zone. */
export function timeZoneField(nonce: string): SafeHtml {
  return html`<input type="hidden" name="timeZone" id="time-zone" autocomplete="off">
<script nonce="${nonce}">
document.getElementById('time-zone').value = Intl.DateTimeFormat().resolvedOptions().timeZone ?? ''
</script>`
}
