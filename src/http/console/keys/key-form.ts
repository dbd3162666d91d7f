import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField, field } from '../../../pages/field.ts'
import { confirmationField } from '../shell/confirmation-field.ts'
import type { Frame } from '../shell/layout.ts'

/** The values and errors of the form for a new key. */
export type KeyForm = {
  name?: string
  /** The selected scope. */
  scope: string
  domain?: string
  expires?: string
  errors?: Partial<Record<KeyField | 'form', string>>
}

export type KeyField = 'name' | 'scope' | 'domain' | 'expires' | 'currentPassword'

/** The description of each scope, in form order. */
const SCOPES = {
  links: 'Create, read and change links and everything that belongs to them.',
  create: 'Create links and nothing else. For browser extensions, ShareX and shortcuts.',
  read: 'Read links and statistics.',
  full: 'Everything, including your email, password and domains.',
} as const

/** Returns the name of a scope in the console. */
export function scopeName(scope: string): string {
  return scope.charAt(0).toUpperCase() + scope.slice(1)
}

/** Renders the form that creates a key. `domains` are the available hosts. */
export function keyForm(
  frame: Frame,
  { form, domains }: { form: KeyForm; domains: readonly string[] },
): SafeHtml {
  const { errors = {} } = form
  const [first] = FIELDS.filter((name) => errors[name])
  const fault = (name: KeyField) => ({
    ...(errors[name] && { error: errors[name] }),
    autofocus: name === first,
  })
  return html`<form method="post" action="/console/keys" class="new-key">
${csrfField(frame.csrf)}
${field({
  name: 'name',
  label: 'Name',
  autocomplete: 'off',
  value: form.name ?? '',
  maxLength: 50,
  hint: 'For example, Zapier.',
  ...fault('name'),
})}
${scopeChoice(form.scope, errors.scope)}
${domains.length === 0 && !errors.domain ? null : domainChoice(domains, form.domain ?? '', errors.domain)}
${field({
  name: 'expires',
  label: 'Expires on',
  type: 'date',
  optional: true,
  autocomplete: 'off',
  value: form.expires ?? '',
  hint: 'Leave blank to never expire.',
  ...fault('expires'),
})}
<div class="full-only">${confirmationField(frame, {
    name: 'currentPassword',
    label: 'Current password',
    optional: true,
    hint: 'Required for the scope Full.',
    error: fault('currentPassword').error,
  })}</div>
<p class="actions"><button class="button">Create key</button></p>
</form>`
}

/** In form order. */
const FIELDS: readonly KeyField[] = ['name', 'scope', 'domain', 'expires', 'currentPassword']
function scopeChoice(chosen: string, error: string | undefined): SafeHtml {
  return html`<fieldset class="field">
<legend>Scope</legend>
${Object.entries(SCOPES).map(
  ([scope, hint]) =>
    html`<label class="check"><input type="radio" name="scope" value="${scope}"${scope === chosen ? html` checked` : null} aria-describedby="scope-${scope}-hint"> <span>${scopeName(scope)}</span></label>
<p class="hint" id="scope-${scope}-hint">${hint}</p>`,
)}
${error ? html`<p class="error" role="alert">${error}</p>` : null}
</fieldset>`
}

function domainChoice(
  domains: readonly string[],
  chosen: string,
  error: string | undefined,
): SafeHtml {
  return html`<div class="field"><label for="domain">Domain</label>
<select id="domain" name="domain" aria-describedby="domain-hint">
<option value="">All domains</option>
${domains.map((host) => html`<option value="${host}"${host === chosen ? html` selected` : null}>${host}</option>`)}
</select>
<p class="hint" id="domain-hint">Limits the key to the links on one domain.</p>
${error ? html`<p class="error" role="alert">${error}</p>` : null}
</div>`
}
