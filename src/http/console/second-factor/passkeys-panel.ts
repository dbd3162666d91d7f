import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField } from '../../../pages/field.ts'
import { t } from '../../../texts.ts'
import { type FieldError, renderField } from '../shell/field-error.ts'
import { type Frame, renderConsolePage } from '../shell/layout.ts'
import { PATH, renderPasswordField, renderProofField } from './fields.ts'
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
<h2 id="passkeys">${t('secondFactor.passkeys')}</h2>
<p class="soft">${hasPasskeys ? t('secondFactor.passkeysHint') : t('secondFactor.passkeysUnavailable')}</p>
${passkeys.length > 0 ? renderTable(frame, passkeys, fieldError) : null}
${hasPasskeys ? renderAddForm(frame, panel) : null}
</section>`
}

function renderTable(
  frame: Frame,
  passkeys: readonly PasskeyView[],
  fieldError: FieldError | undefined,
): SafeHtml {
  return html`<table class="cards">
<thead><tr><th scope="col">${t('secondFactor.columns.name')}</th><th scope="col">${t('secondFactor.columns.created')}</th><th scope="col">${t('secondFactor.columns.lastUsed')}</th><th scope="col"><span class="hidden-text">${t('secondFactor.columns.actions')}</span></th></tr></thead>
<tbody>${passkeys.map(
    (passkey) => html`<tr>
<th scope="row" dir="auto">${passkey.name}</th>
<td class="when" data-label="${t('secondFactor.columns.created')}">${passkey.created}</td>
<td class="when" data-label="${t('secondFactor.columns.lastUsed')}">${passkey.lastUsed ?? t('secondFactor.never')}</td>
<td><details${fieldError?.field === getProofName(passkey.id) ? html` open` : null}><summary>${t('secondFactor.remove')}<span class="hidden-text"> ${passkey.name}</span></summary>
<form method="post" action="${PATH}/passkeys/${passkey.id}/remove">${csrfField(frame.csrf)}
${renderProofField(frame, fieldError, { name: getProofName(passkey.id), hint: t('secondFactor.turnOffHint') })}
<p class="actions"><button class="button danger small">${t('secondFactor.removePasskey')}</button></p>
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
  label: t('secondFactor.passkeyName'),
  autocomplete: 'off',
  maxLength: 50,
  value: submittedName ?? '',
  hint: t('secondFactor.passkeyNameHint'),
})}
${renderPasswordField(frame, fieldError, 'passkeyPassword')}
<p class="actions"><button class="button">${t('secondFactor.addPasskey')}</button></p>
</form>`
}

/** Renders the page on which the browser creates a passkey with these options. */
export function renderCreatePasskeyPage(frame: Frame, options: object): string {
  return renderConsolePage(frame, {
    title: t('secondFactor.createTitle'),
    section: '/console/account',
    body: html`<p class="eyebrow"><a href="${PATH}">${t('secondFactor.title')}</a></p>
<h1>${t('secondFactor.createTitle')}</h1>
<section class="panel" aria-label="${t('secondFactor.passkeys')}">
<p>${t('secondFactor.createHint')}</p>
${renderPasskeyForm({
  kind: 'create',
  options,
  action: `${PATH}/passkeys/add`,
  csrf: frame.csrf,
  button: t('secondFactor.createPasskey'),
})}
<p class="small"><a href="${PATH}">${t('secondFactor.cancel')}</a></p>
</section>`,
  })
}
