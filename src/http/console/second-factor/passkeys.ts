import { html, type SafeHtml } from '@remix-run/html-template'
import type { Passkey } from '../../../identity/second-factor/second-factor.ts'
import { csrfField } from '../../../pages/field.ts'
import { type TextKey, t } from '../../../texts.ts'
import { withScript } from '../assets.ts'
import { renderHidden } from '../kit/fields.ts'
import { defineForm, type PageState } from '../kit/form.ts'
import { renderPanel, renderUntitledPanel } from '../kit/parts.ts'
import { renderPopup } from '../kit/popup.ts'
import type { Page } from '../kit/subject.ts'
import { renderTable } from '../kit/table.ts'
import { formatMoment } from '../shell/format.ts'
import type { Frame } from '../shell/layout.ts'

export const PATH = '/console/account/second-factor'

/** The form that adds a passkey, before the browser creates it. */
export const passkeyForm = defineForm(
  {
    passkeyName: {
      label: 'secondFactor.passkeyName',
      hint: 'secondFactor.passkeyNameHint',
      maxLength: 50,
    },
    passkeyPassword: { type: 'confirmation', label: 'secondFactor.password' },
  },
  { fields: { name: 'passkeyName', currentPassword: 'passkeyPassword' } },
)

/** Defines a form that asks for a password or a one-time code. */
export function defineProofForm(name: string, hint: TextKey) {
  return defineForm(
    { [name]: { type: 'confirmation', label: 'secondFactor.proof', hint } },
    { fields: { currentPassword: name, code: name } },
  )
}

/** Renders a user's passkeys, and the form that adds one. */
export function renderPasskeys(
  frame: Frame,
  passkeys: readonly Passkey[],
  { hasPasskeys, state }: { hasPasskeys: boolean; state: PageState },
): SafeHtml {
  const rendering = { action: `${PATH}/passkeys`, button: t('secondFactor.addPasskey') }
  const text = hasPasskeys ? 'secondFactor.passkeysHint' : 'secondFactor.passkeysUnavailable'
  return renderPanel('passkeys', t('secondFactor.passkeys'), [
    html`<p class="soft">${t(text)}</p>\n`,
    passkeys.length > 0 ? renderPasskeyTable(frame, passkeys, state) : null,
    hasPasskeys ? passkeyForm.render(frame, state, rendering) : null,
  ])
}

function renderPasskeyTable(
  frame: Frame,
  passkeys: readonly Passkey[],
  state: PageState,
): SafeHtml {
  return renderTable(passkeys, [
    { head: t('secondFactor.columns.name'), dirAuto: true, cell: ({ name }) => name },
    {
      head: t('secondFactor.columns.created'),
      className: 'when',
      cell: ({ createdAt }) => formatMoment(createdAt, frame.timeZone),
    },
    {
      head: t('secondFactor.columns.lastUsed'),
      className: 'when',
      cell: ({ lastUsedAt }) =>
        lastUsedAt ? formatMoment(lastUsedAt, frame.timeZone) : t('secondFactor.never'),
    },
    {
      head: t('shell.actions'),
      hidden: true,
      cell: ({ id, name }) =>
        renderPopup({
          id: `remove-${id}`,
          text: t('secondFactor.remove'),
          subject: name,
          content: [
            defineRemovalForm(id).render(frame, state, {
              action: `${PATH}/passkeys/${id}/remove`,
              button: t('secondFactor.removePasskey'),
              buttonClass: 'button danger small',
            }),
          ],
          isOpen: Boolean(state.errors?.[getProofName(id)]),
        }),
    },
  ])
}

/** Defines the form that removes a passkey. */
export function defineRemovalForm(id: number) {
  return defineProofForm(getProofName(id), 'secondFactor.turnOffHint')
}

/** Returns the name of the field that confirms the removal of a passkey. */
export function getProofName(id: number): string {
  return `proof-${id}`
}

/** Renders the page on which the browser creates a passkey with these options. */
export function renderCreation(options: object): Page {
  return {
    title: t('secondFactor.createTitle'),
    body: ({ csrf }) => html`<p class="eyebrow"><a href="${PATH}">${t('secondFactor.title')}</a></p>
<h1>${t('secondFactor.createTitle')}</h1>
${renderUntitledPanel(t('secondFactor.passkeys'), [
  html`<p>${t('secondFactor.createHint')}</p>`,
  renderPasskeyForm({
    kind: 'create',
    options,
    action: `${PATH}/passkeys/add`,
    csrf,
    button: t('secondFactor.createPasskey'),
  }),
  html`<p class="small"><a href="${PATH}">${t('secondFactor.cancel')}</a></p>`,
])}`,
  }
}

type PasskeyForm = {
  /** Whether to create a passkey or to sign in with one. */
  kind: 'create' | 'request'
  /** The options for the browser's passkey API. */
  options: object
  /** The path that the form posts to. */
  action: string
  csrf: string
  /** Hidden fields that are sent along. */
  fields?: Readonly<Record<string, string>>
  /** The label of the button. */
  button: string
  error?: string | undefined
}

/**
 * Renders a form that submits the browser's response to passkey options. It requires scripts, which
 * make it visible.
 */
export function renderPasskeyForm(form: PasskeyForm): SafeHtml {
  const { kind, options, action, csrf, fields, button, error } = form
  return html`<p class="error" id="passkey-error" role="alert"${error ? null : html` hidden`}>${error ?? null}</p>
<p class="soft" id="needs-scripts">${t('secondFactor.needsScripts')}</p>
<form method="post" action="${action}" data-passkey="${kind}"${withScript('passkey')} data-options="${JSON.stringify(options)}" data-unsupported="${t('secondFactor.passkeyErrors.unsupported')}" data-cancelled="${t('secondFactor.passkeyErrors.cancelled')}" data-known="${t('secondFactor.passkeyErrors.known')}" hidden>
${csrfField(csrf)}
${renderHidden({ ...fields, credential: '' })}
<button class="button full">${button}</button>
</form>`
}
