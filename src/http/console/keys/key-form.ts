import { html, type SafeHtml } from '@remix-run/html-template'
import type { Scope } from '../../../accounts/key-scope.ts'
import { csrfField, field } from '../../../pages/field.ts'
import { hostText } from '../../../pages/short-link-text.ts'
import { t } from '../../../texts.ts'
import { renderConfirmationField } from '../kit/confirmation.ts'
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

/** The fields in the order of the form. */
export const KEY_FIELDS: readonly KeyField[] = [
  'name',
  'scope',
  'domain',
  'expires',
  'currentPassword',
]

/** The scopes in the order of the form. */
const SCOPES: readonly Scope[] = ['links', 'create', 'read', 'full']

/** Returns the name of a scope in the language of the page. Returns unknown scopes unchanged. */
export function getScopeName(scope: string): string {
  const knownScope = SCOPES.find((each) => each === scope)
  return knownScope ? t(`key.scopes.${knownScope}`) : scope
}

/** Renders the form that creates a key. `domains` are the available hosts. */
export function renderKeyForm(
  frame: Frame,
  { form, domains }: { form: KeyForm; domains: readonly string[] },
): SafeHtml {
  const { errors = {} } = form
  const [firstInvalidField] = KEY_FIELDS.filter((name) => errors[name])
  const toFieldError = (name: KeyField) => ({
    ...(errors[name] && { error: errors[name] }),
    autofocus: name === firstInvalidField,
  })
  return html`<form method="post" action="/console/keys" class="new-key">
${csrfField(frame.csrf)}
${field({
  name: 'name',
  label: t('key.name'),
  autocomplete: 'off',
  value: form.name ?? '',
  maxLength: 50,
  hint: t('key.nameHint'),
  ...toFieldError('name'),
})}
${renderScopeChoice(form.scope, errors.scope)}
${domains.length === 0 && !errors.domain ? null : renderDomainChoice(domains, form.domain ?? '', errors.domain)}
${field({
  name: 'expires',
  label: t('key.expires'),
  type: 'date',
  optional: true,
  autocomplete: 'off',
  value: form.expires ?? '',
  hint: t('key.expiresHint'),
  ...toFieldError('expires'),
})}
<div class="full-only">${renderConfirmationField(frame, {
    name: 'currentPassword',
    label: t('key.password'),
    optional: true,
    hint: t('key.passwordHint'),
    error: toFieldError('currentPassword').error,
  })}</div>
<p class="actions"><button class="button">${t('key.create')}</button></p>
</form>`
}

function renderScopeChoice(selected: string, error: string | undefined): SafeHtml {
  return html`<fieldset class="field">
<legend>${t('key.scope')}</legend>
${SCOPES.map(
  (scope) =>
    html`<label class="check"><input type="radio" name="scope" value="${scope}"${scope === selected ? html` checked` : null} aria-describedby="scope-${scope}-hint"> <span>${getScopeName(scope)}</span></label>
<p class="hint" id="scope-${scope}-hint">${t(`key.scopeHints.${scope}`)}</p>`,
)}
${error ? html`<p class="error" role="alert">${error}</p>` : null}
</fieldset>`
}

function renderDomainChoice(
  domains: readonly string[],
  selected: string,
  error: string | undefined,
): SafeHtml {
  return html`<div class="field"><label for="domain">${t('key.domain')}</label>
<select id="domain" name="domain" aria-describedby="domain-hint">
<option value="">${t('key.allDomains')}</option>
${domains.map((host) => html`<option value="${host}"${host === selected ? html` selected` : null}>${hostText(host)}</option>`)}
</select>
<p class="hint" id="domain-hint">${t('key.domainHint')}</p>
${error ? html`<p class="error" role="alert">${error}</p>` : null}
</div>`
}
