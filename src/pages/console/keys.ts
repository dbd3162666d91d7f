import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField, field } from '../field.ts'
import { consolePage, type Frame } from './frame.ts'
import { type Recipes, recipes } from './recipes.ts'

export type ListedKey = {
  id: number
  name: string | null
  /** The beginning of the key, by which its owner knows it. */
  prefix: string
  state: 'active' | 'expired' | 'revoked'
  created: string
  lastUsed: string | null
  /** When it ends or ended; null for a key without an end. */
  ends: string | null
}

/** What was typed into the form for a new key, and what is wrong with it. */
export type KeyForm = {
  name?: string
  expires?: string
  errors?: { name?: string; expires?: string; form?: string }
}

/** The account's API keys and the form for a further one. Moments are UTC. */
export function keysPage(
  frame: Frame,
  { keys, form, ...service }: { keys: readonly ListedKey[]; form: KeyForm } & Omit<Recipes, 'key'>,
): string {
  const { name = '', expires = '', errors = {} } = form
  return consolePage(frame, {
    title: 'API keys',
    section: '/console/keys',
    body: html`<h1>API keys</h1>
<p class="soft">A key lets a program do what you can do here. Give each program its own.</p>
<section class="panel" aria-labelledby="new">
<h2 id="new">New key</h2>
${errors.form ? html`<p class="notice" role="alert">${errors.form}</p>` : null}
<form method="post" action="/console/keys" class="line">
${csrfField(frame.csrf)}
${field({
  name: 'name',
  label: 'Name',
  autocomplete: 'off',
  value: name,
  maxLength: 50,
  hint: 'For instance the program that will use it.',
  ...(errors.name && { error: errors.name }),
  autofocus: Boolean(errors.name),
})}
${field({
  name: 'expires',
  label: 'Last day',
  type: 'date',
  optional: true,
  autocomplete: 'off',
  value: expires,
  hint: 'In UTC. Empty for a key without an end.',
  ...(errors.expires && { error: errors.expires }),
  autofocus: Boolean(errors.expires) && !errors.name,
})}
<button class="button">Make key</button>
</form>
</section>
<section class="panel" aria-labelledby="all">
<h2 id="all">Your keys</h2>
${
  keys.length === 0
    ? html`<p class="soft">There is no key yet.</p>`
    : html`<table class="cards">
<thead><tr><th scope="col">Name</th><th scope="col">Key</th><th scope="col">Status</th><th scope="col">Made (UTC)</th><th scope="col">Last used (UTC)</th><th scope="col">Change</th></tr></thead>
<tbody>${keys.map((key) => row(frame, key))}</tbody>
</table>`
}
</section>
${recipes(service)}`,
  })
}

function row(frame: Frame, key: ListedKey): SafeHtml {
  return html`<tr>
<th scope="row">${key.name ?? 'Without a name'}</th>
<td data-label="Key"><code>${key.prefix}…</code></td>
<td data-label="Status">${stateText(key)}</td>
<td data-label="Made">${key.created}</td>
<td data-label="Last used">${key.lastUsed ?? 'never'}</td>
<td>${key.state === 'active' ? changes(frame, key) : null}</td>
</tr>`
}

function changes({ csrf }: Frame, { id, name, prefix }: ListedKey): SafeHtml {
  const which = html`<span class="hidden-text"> ${name ?? prefix}</span>`
  return html`<details class="act"><summary>Replace${which}</summary>
<form method="post" action="/console/keys/${id}/rotate">${csrfField(csrf)}
<div class="choice"><label>The old key works for
<select name="overlap"><option value="none">no longer</option><option value="hour">1 hour</option><option value="day" selected>1 day</option><option value="week">7 days</option></select></label>
<button class="button">Replace key</button></div>
</form></details>
<details class="act"><summary>Revoke${which}</summary>
<form method="post" action="/console/keys/${id}/revoke">${csrfField(csrf)}
<p class="small">Programs that use it are refused at once, for ever.</p>
<p><button class="button danger">Revoke key</button></p>
</form></details>`
}

function stateText({ state, ends }: ListedKey): string {
  if (state === 'revoked') return `revoked on ${ends}`
  if (state === 'expired') return `expired on ${ends}`
  return ends === null ? 'active' : `active until ${ends}`
}
