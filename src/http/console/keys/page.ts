import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField } from '../../../pages/field.ts'
import { hostText } from '../../../pages/short-link-text.ts'
import { renderSignInAgain } from '../shell/confirmation-field.ts'
import { type Frame, renderConsolePage } from '../shell/layout.ts'
import { getScopeName, type KeyForm, renderKeyForm } from './key-form.ts'
import { keyMessages as messages } from './messages.ts'
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
  const { name, key, scope, status, created, lastUsed } = messages
  const heads = [name, key, scope, status, created, lastUsed]
  return renderConsolePage(frame, {
    title: messages.title,
    section: '/console/keys',
    body: html`<h1>${messages.title}</h1>
<p class="soft">${messages.about}</p>
<section class="panel" aria-labelledby="new">
<h2 id="new">${messages.new}</h2>
${form.errors?.form ? html`<p class="notice" role="alert">${form.errors.form}</p>` : null}
${renderKeyForm(frame, { form, domains })}
</section>
<section class="panel" aria-labelledby="all">
<h2 id="all">${messages.all}</h2>
${
  keys.length === 0
    ? html`<p class="soft">${messages.none}</p>`
    : html`<table class="cards">
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}<th scope="col"><span class="hidden-text">${messages.actions}</span></th></tr></thead>
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
<th scope="row" class="key-name-cell">${key.name ?? messages.unnamed}</th>
<td data-label="${messages.key}"><code>${key.prefix}…</code></td>
<td data-label="${messages.scope}">${getScopeName(key.scope)}${key.domain === null ? null : html` <span class="soft">${messages.onDomain(hostText(key.domain))}</span>`}</td>
<td data-label="${messages.status}">${describeState(key)}</td>
<td data-label="${messages.created}">${key.created}</td>
<td data-label="${messages.lastUsed}">${key.lastUsed ?? messages.never}</td>
<td>${key.state === 'active' ? html`${renderRotationForm(frame, key, error)}${renderRevocationForm(frame, key)}` : null}</td>
</tr>`
}

function renderRotationForm(frame: Frame, key: ListedKey, error: string | undefined): SafeHtml {
  return html`<details class="act"${error ? html` open` : null}><summary>${messages.rotate}${renderKeyName(key)}</summary>
<form method="post" action="/console/keys/${key.id}/rotate">${csrfField(frame.csrf)}
<div class="choice"><label>${messages.overlap}
<select name="overlap">${Object.entries(messages.overlaps).map(([value, text]) => html`<option value="${value}"${value === 'day' ? html` selected` : null}>${text}</option>`)}</select></label>
${key.scope === 'full' ? renderPasswordField(frame, key, error) : null}
<button class="button">${messages.rotateKey}</button></div>
${error ? html`<p class="error" id="rotation-error" role="alert">${error}</p>` : null}
</form></details>
`
}

/** Rotating a full key creates another full key, so it requires the password. */
function renderPasswordField(frame: Frame, { id }: ListedKey, error: string | undefined): SafeHtml {
  if (!frame.confirmsByPassword) return renderSignInAgain(frame)
  return html`<label for="password-${id}">${messages.passwordToConfirm}
<input id="password-${id}" type="password" name="currentPassword" autocomplete="current-password" required${error ? html` aria-invalid="true" aria-describedby="rotation-error" autofocus` : null}></label>`
}

function renderRevocationForm({ csrf }: Frame, key: ListedKey): SafeHtml {
  return html`<details class="act"><summary>${messages.revoke}${renderKeyName(key)}</summary>
<form method="post" action="/console/keys/${key.id}/revoke">${csrfField(csrf)}
<p class="small">${messages.revokeText}</p>
<p><button class="button danger">${messages.revokeKey}</button></p>
</form></details>`
}

function renderKeyName({ name, prefix }: ListedKey): SafeHtml {
  return html`<span class="hidden-text"> ${name ?? prefix}</span>`
}

function describeState({ state, endsOn }: ListedKey): string {
  if (endsOn === null) return messages.active
  if (state === 'revoked') return messages.revokedOn(endsOn)
  return state === 'expired' ? messages.expiredOn(endsOn) : messages.activeUntil(endsOn)
}
