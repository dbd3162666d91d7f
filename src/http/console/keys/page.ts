import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField } from '../../../pages/field.ts'
import { hostText } from '../../../pages/short-link-text.ts'
import { t, tAll } from '../../../texts.ts'
import { renderSignInAgain } from '../kit/confirmation.ts'
import { type Frame, renderConsolePage } from '../shell/layout.ts'
import { getScopeName, type KeyForm, renderKeyForm } from './key-form.ts'
import { type Recipes, renderRecipes } from './recipes.ts'

export type ListedKey = {
  id: number
  name: string | null
  /** The first characters of the key, for recognition. */
  prefix: string
  scope: string
  /** The host of the domain that it is bound to, if any. */
  domain: string | null
  state: 'active' | 'expired' | 'revoked'
  created: string
  lastUsed: string | null
  /** When it was revoked or when it expires or expired, as text. Null if neither. */
  endsOn: string | null
}

/** The error of a rotation. */
export type RotationError = { id: number; text: string }

type KeysPage = Omit<Recipes, 'key'> & {
  keys: readonly ListedKey[]
  /** The hosts that a new key can be bound to. */
  domains: readonly string[]
  form: KeyForm
  rotationError?: RotationError | undefined
}

/** Renders the account's API keys and the form for a new one. */
export function renderKeysPage(
  frame: Frame,
  { keys, domains, form, rotationError, ...service }: KeysPage,
): string {
  const heads = [
    t('key.name'),
    t('key.key'),
    t('key.scope'),
    t('key.status'),
    t('key.created'),
    t('key.lastUsed'),
  ]
  return renderConsolePage(frame, {
    title: t('key.title'),
    section: '/console/keys',
    body: html`<h1>${t('key.title')}</h1>
<p class="soft">${t('key.about')}</p>
<section class="panel" aria-labelledby="new">
<h2 id="new">${t('key.new')}</h2>
${form.errors?.form ? html`<p class="notice" role="alert">${form.errors.form}</p>` : null}
${renderKeyForm(frame, { form, domains })}
</section>
<section class="panel" aria-labelledby="all">
<h2 id="all">${t('key.all')}</h2>
${
  keys.length === 0
    ? html`<p class="soft">${t('key.none')}</p>`
    : html`<table class="cards">
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}<th scope="col"><span class="hidden-text">${t('key.actions')}</span></th></tr></thead>
<tbody>${keys.map((key) => renderRow(frame, key, rotationError))}</tbody>
</table>`
}
</section>
${renderRecipes(service)}`,
  })
}

function renderRow(
  frame: Frame,
  key: ListedKey,
  rotationError: RotationError | undefined,
): SafeHtml {
  const error = rotationError?.id === key.id ? rotationError.text : undefined
  return html`<tr>
<th scope="row" class="key-name-cell">${key.name ?? t('key.unnamed')}</th>
<td data-label="${t('key.key')}"><code>${key.prefix}…</code></td>
<td data-label="${t('key.scope')}">${getScopeName(key.scope)}${key.domain === null ? null : html` <span class="soft">${t('key.onDomain', { host: hostText(key.domain) })}</span>`}</td>
<td data-label="${t('key.status')}">${describeState(key)}</td>
<td data-label="${t('key.created')}">${key.created}</td>
<td data-label="${t('key.lastUsed')}">${key.lastUsed ?? t('key.never')}</td>
<td>${key.state === 'active' ? html`${renderRotationForm(frame, key, error)}${renderRevocationForm(frame, key)}` : null}</td>
</tr>`
}

function renderRotationForm(frame: Frame, key: ListedKey, error: string | undefined): SafeHtml {
  return html`<details class="act"${error ? html` open` : null}><summary>${t('key.rotate')}${renderKeyName(key)}</summary>
<form method="post" action="/console/keys/${key.id}/rotate">${csrfField(frame.csrf)}
<div class="choice"><label>${t('key.overlap')}
<select name="overlap">${Object.entries(tAll('key.overlaps')).map(([value, text]) => html`<option value="${value}"${value === 'day' ? html` selected` : null}>${text}</option>`)}</select></label>
${key.scope === 'full' ? renderPasswordField(frame, key, error) : null}
<button class="button">${t('key.rotateKey')}</button></div>
${error ? html`<p class="error" id="rotation-error" role="alert">${error}</p>` : null}
</form></details>
`
}

/** Rotating a full key creates another full key, so it requires the password. */
function renderPasswordField(frame: Frame, { id }: ListedKey, error: string | undefined): SafeHtml {
  if (!frame.confirmsByPassword) return renderSignInAgain(frame)
  return html`<label for="password-${id}">${t('key.passwordToConfirm')}
<input id="password-${id}" type="password" name="currentPassword" autocomplete="current-password" required${error ? html` aria-invalid="true" aria-describedby="rotation-error" autofocus` : null}></label>`
}

function renderRevocationForm({ csrf }: Frame, key: ListedKey): SafeHtml {
  return html`<details class="act"><summary>${t('key.revoke')}${renderKeyName(key)}</summary>
<form method="post" action="/console/keys/${key.id}/revoke">${csrfField(csrf)}
<p class="small">${t('key.revokeText')}</p>
<p><button class="button danger">${t('key.revokeKey')}</button></p>
</form></details>`
}

function renderKeyName({ name, prefix }: ListedKey): SafeHtml {
  return html`<span class="hidden-text"> ${name ?? prefix}</span>`
}

function describeState({ state, endsOn }: ListedKey): string {
  if (endsOn === null) return t('key.active')
  if (state === 'revoked') return t('key.revokedOn', { time: endsOn })
  return state === 'expired'
    ? t('key.expiredOn', { time: endsOn })
    : t('key.activeUntil', { time: endsOn })
}
