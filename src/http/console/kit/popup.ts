import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField } from '../../../pages/field.ts'
import { t } from '../../../texts.ts'
import type { Frame } from '../shell/layout.ts'

type Popup = {
  /** Unique on the page. */
  id: string
  /** The text of the button that opens it. */
  text: string
  /** What it is about, for screen readers, where several have the same text. */
  subject?: string | undefined
  className?: string | undefined
  content: SafeHtml | (SafeHtml | null)[]
  /** Whether its content has errors: it is then part of the page, because only users open popups. */
  isOpen?: boolean
}

/** Renders a button that opens a dialog over the page, which needs no scripts. */
export function renderPopup(popup: Popup): SafeHtml {
  const { id, text, subject, className = 'button quiet small', content, isOpen = false } = popup
  const name = html`${text}${subject === undefined ? null : html`<span class="hidden-text"> ${subject}</span>`}`
  if (isOpen) {
    return html`<div class="open-popup" id="${id}" role="group" aria-labelledby="${id}-name"><p class="hidden-text" id="${id}-name">${name}</p>
${content}</div>`
  }
  return html`<button class="${className}" type="button" id="${id}-name" popovertarget="${id}">${name}</button>
<div class="popup" id="${id}" popover role="dialog" aria-labelledby="${id}-name">
${content}
<button class="button quiet small popup-close" type="button" popovertarget="${id}" popovertargetaction="hide">${t('shell.cancel')}</button>
</div>`
}

type Confirmation = {
  action: string
  /** The text of the button that opens the question. */
  summary: string
  /** What the button acts on, for screen readers, where several have the same text. */
  subject?: string
  text: SafeHtml | string
  button: string
  buttonClass?: string
  /** The class of the button that opens the question. */
  className?: string
}

/** Renders a button that asks before it acts, or nothing if the user's role does not allow it. */
export function renderConfirmedButton(frame: Frame, confirmation: Confirmation): SafeHtml | null {
  const { action, summary, subject, text, button, className } = confirmation
  const { buttonClass = 'button danger' } = confirmation
  if (!frame.may('POST', action)) return null
  return renderPopup({
    id: `ask${action.replaceAll(/\W+/g, '-')}`,
    text: summary,
    subject,
    className,
    content: html`<form method="post" action="${action}">${csrfField(frame.csrf)}
<p>${text}</p>
<p><button class="${buttonClass}">${button}</button></p>
</form>`,
  })
}
