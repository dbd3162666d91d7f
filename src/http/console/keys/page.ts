import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField } from '../../../pages/field.ts'
import { signInAgain } from '../shell/confirmation-field.ts'
import { consolePage, type Frame } from '../shell/layout.ts'
import { type KeyForm, keyForm, scopeName } from './key-form.ts'
import { type Recipes, recipes } from './recipes.ts'

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
  /** When it expires or expired, or null if it does not. */
  ends: string | null
}

/** The error of a rotation. */
export type RotationFault = { id: number; text: string }

type KeysPage = Omit<Recipes, 'key'> & {
  keys: readonly ListedKey[]
  /** The hosts that a new key can be bound to. */
  domains: readonly string[]
  form: KeyForm
  rotationFault?: RotationFault | undefined
}

/** Renders the account's API keys and the form for a new one. */
export function keysPage(
  frame: Frame,
  { keys, domains, form, rotationFault, ...service }: KeysPage,
): string {
  return consolePage(frame, {
    title: 'API keys',
    section: '/console/keys',
    body: html`<h1>API keys</h1>
<p class="soft">API keys let apps use your account. Create one per app, with the narrowest scope that it needs.</p>
<section class="panel" aria-labelledby="new">
<h2 id="new">New key</h2>
${form.errors?.form ? html`<p class="notice" role="alert">${form.errors.form}</p>` : null}
${keyForm(frame, { form, domains })}
</section>
<section class="panel" aria-labelledby="all">
<h2 id="all">Your keys</h2>
${
  keys.length === 0
    ? html`<p class="soft">No API keys yet.</p>`
    : html`<table class="cards">
<thead><tr><th scope="col">Name</th><th scope="col">Key</th><th scope="col">Scope</th><th scope="col">Status</th><th scope="col">Created</th><th scope="col">Last used</th><th scope="col"><span class="hidden-text">Actions</span></th></tr></thead>
<tbody>${keys.map((key) => row(frame, key, rotationFault))}</tbody>
</table>`
}
</section>
${recipes(service)}`,
  })
}

function row(frame: Frame, key: ListedKey, fault: RotationFault | undefined): SafeHtml {
  const error = fault?.id === key.id ? fault.text : undefined
  return html`<tr>
<th scope="row" class="key-name-cell">${key.name ?? 'Unnamed'}</th>
<td data-label="Key"><code>${key.prefix}…</code></td>
<td data-label="Scope">${scopeName(key.scope)}${key.domain === null ? null : html` <span class="soft">on ${key.domain}</span>`}</td>
<td data-label="Status">${stateText(key)}</td>
<td data-label="Created">${key.created}</td>
<td data-label="Last used">${key.lastUsed ?? 'Never'}</td>
<td>${key.state === 'active' ? html`${rotation(frame, key, error)}${revocation(frame, key)}` : null}</td>
</tr>`
}

function rotation(frame: Frame, key: ListedKey, error: string | undefined): SafeHtml {
  return html`<details class="act"${error ? html` open` : null}><summary>Rotate${keyName(key)}</summary>
<form method="post" action="/console/keys/${key.id}/rotate">${csrfField(frame.csrf)}
<div class="choice"><label>Old key stays valid for
<select name="overlap"><option value="none">Stop immediately</option><option value="hour">1 hour</option><option value="day" selected>1 day</option><option value="week">7 days</option></select></label>
${key.scope === 'full' ? passwordOf(frame, key, error) : null}
<button class="button">Rotate key</button></div>
${error ? html`<p class="error" id="rotation-error" role="alert">${error}</p>` : null}
</form></details>
`
}

/** Rotating a full key creates another full key, so it requires the password. */
function passwordOf(frame: Frame, { id }: ListedKey, error: string | undefined): SafeHtml {
  if (!frame.confirmsByPassword) return signInAgain(frame)
  return html`<label for="password-${id}">Password to confirm
<input id="password-${id}" type="password" name="currentPassword" autocomplete="current-password" required${error ? html` aria-invalid="true" aria-describedby="rotation-error" autofocus` : null}></label>`
}

function revocation({ csrf }: Frame, key: ListedKey): SafeHtml {
  return html`<details class="act"><summary>Revoke${keyName(key)}</summary>
<form method="post" action="/console/keys/${key.id}/revoke">${csrfField(csrf)}
<p class="small">Apps using this key lose access immediately. This can't be undone.</p>
<p><button class="button danger">Revoke key</button></p>
</form></details>`
}

function keyName({ name, prefix }: ListedKey): SafeHtml {
  return html`<span class="hidden-text"> ${name ?? prefix}</span>`
}

function stateText({ state, ends }: ListedKey): string {
  if (state === 'revoked') return `Revoked on ${ends}`
  if (state === 'expired') return `Expired on ${ends}`
  return ends === null ? 'Active' : `Active until ${ends}`
}
