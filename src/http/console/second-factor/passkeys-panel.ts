import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField } from '../../../pages/field.ts'
import { type FieldError, renderField } from '../shell/field-error.ts'
import { type Frame, renderConsolePage } from '../shell/layout.ts'
import { PATH, renderPasswordField, renderProofField } from './fields.ts'
import { secondFactorMessages as texts } from './messages.ts'
import { renderPasskeyForm } from './passkey-form.ts'

export type PasskeyView = { id: number; name: string; created: string; lastUsed: string | null }

export type PasskeysPanel = {
  passkeys: readonly PasskeyView[]
  /** Whether browsers support passkeys for this service's URL. */
  hasPasskeys: boolean
  /** The name in the submitted form, if the form was rejected. */
  submittedName?: string | undefined
  fieldError?: FieldError | undefined
}

/** Renders a user's passkeys, and the form that adds one. */
export function renderPasskeysPanel(frame: Frame, panel: PasskeysPanel): SafeHtml {
  const { passkeys, hasPasskeys, fieldError } = panel
  return html`<section class="panel" aria-labelledby="passkeys">
<h2 id="passkeys">${texts.passkeys}</h2>
<p class="soft">${hasPasskeys ? texts.passkeysHint : texts.passkeysUnavailable}</p>
${passkeys.length > 0 ? renderTable(frame, passkeys, fieldError) : null}
${hasPasskeys ? renderAddForm(frame, panel) : null}
</section>`
}

function renderTable(
  frame: Frame,
  passkeys: readonly PasskeyView[],
  fieldError: FieldError | undefined,
): SafeHtml {
  const { name, created, lastUsed, actions } = texts.columns
  return html`<table class="cards">
<thead><tr><th scope="col">${name}</th><th scope="col">${created}</th><th scope="col">${lastUsed}</th><th scope="col"><span class="hidden-text">${actions}</span></th></tr></thead>
<tbody>${passkeys.map(
    (passkey) => html`<tr>
<th scope="row" dir="auto">${passkey.name}</th>
<td class="when" data-label="${created}">${passkey.created}</td>
<td class="when" data-label="${lastUsed}">${passkey.lastUsed ?? texts.never}</td>
<td><details${fieldError?.field === getProofName(passkey.id) ? html` open` : null}><summary>${texts.remove}<span class="hidden-text"> ${passkey.name}</span></summary>
<form method="post" action="${PATH}/passkeys/${passkey.id}/remove">${csrfField(frame.csrf)}
${renderProofField(frame, fieldError, { name: getProofName(passkey.id), hint: texts.turnOffHint })}
<p class="actions"><button class="button danger small">${texts.removePasskey}</button></p>
</form></details></td>
</tr>`,
  )}</tbody>
</table>`
}

/** Returns the name of the proof field for removing a passkey. */
export function getProofName(id: number): string {
  return `proof-${id}`
}

function renderAddForm(frame: Frame, { fieldError, submittedName }: PasskeysPanel): SafeHtml {
  return html`<form method="post" action="${PATH}/passkeys">${csrfField(frame.csrf)}
${renderField(fieldError, {
  name: 'passkeyName',
  label: texts.passkeyName,
  autocomplete: 'off',
  maxLength: 50,
  value: submittedName ?? '',
  hint: texts.passkeyNameHint,
})}
${renderPasswordField(frame, fieldError, 'passkeyPassword')}
<p class="actions"><button class="button">${texts.addPasskey}</button></p>
</form>`
}

/** Renders the page on which the browser creates a passkey with these options. */
export function renderCreatePasskeyPage(frame: Frame, options: object): string {
  return renderConsolePage(frame, {
    title: texts.createTitle,
    section: '/console/account',
    files: ['passkey.js'],
    body: html`<p class="eyebrow"><a href="${PATH}">${texts.title}</a></p>
<h1>${texts.createTitle}</h1>
<section class="panel" aria-label="${texts.passkeys}">
<p>${texts.createHint}</p>
${renderPasskeyForm({
  kind: 'create',
  options,
  action: `${PATH}/passkeys/add`,
  csrf: frame.csrf,
  button: texts.createPasskey,
})}
<p class="small"><a href="${PATH}">${texts.cancel}</a></p>
</section>`,
  })
}
