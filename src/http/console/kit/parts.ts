import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField } from '../../../pages/field.ts'
import type { Frame } from '../shell/layout.ts'

type Content = SafeHtml | string | null | (SafeHtml | string | null)[]

/** Renders a part of a page under a heading. `id` is the heading's. */
export function renderPanel(id: string, title: string, content: Content): SafeHtml {
  return html`<section class="panel" aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
${content}
</section>`
}

type Button = {
  action: string
  text: string
  /** What the button acts on, for screen readers, where several have the same text. */
  subject?: string
  className?: string
  /** Hidden fields that are sent along. */
  fields?: Readonly<Record<string, string>>
}

/** Renders a form with only a button, or nothing if the user's role does not allow to submit it. */
export function renderButtonForm(
  frame: Frame,
  { action, text, subject, className = 'button quiet small', fields = {} }: Button,
): SafeHtml | null {
  if (!frame.may('POST', action)) return null
  const hiddenFields = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )
  return html`<form class="in-row" method="post" action="${action}">${csrfField(frame.csrf)}${hiddenFields}<button class="${className}">${text}${renderSubject(subject)}</button></form>`
}

type Disclosure = {
  action: string
  /** The text that opens it. */
  summary: string
  text: string
  button: string
}

/** Renders a button that asks before it acts, or nothing if the user's role does not allow it. */
export function renderConfirmedButton(
  frame: Frame,
  { action, summary, text, button }: Disclosure,
): SafeHtml | null {
  if (!frame.may('POST', action)) return null
  return html`<details><summary>${summary}</summary>
<form method="post" action="${action}">${csrfField(frame.csrf)}
<p class="small">${text}</p>
<p><button class="button danger">${button}</button></p>
</form></details>`
}

/** Renders a link, or only its text if the user's role does not allow to open it. */
export function renderLink(
  frame: Frame,
  {
    href,
    text,
    subject,
    className,
  }: {
    href: string
    text: string | SafeHtml
    subject?: string
    className?: string
  },
): SafeHtml | null {
  if (!frame.may('GET', href)) return null
  return html`<a${className ? html` class="${className}"` : null} href="${href}">${text}${renderSubject(subject)}</a>`
}

function renderSubject(subject: string | undefined): SafeHtml | null {
  return subject === undefined ? null : html`<span class="hidden-text"> ${subject}</span>`
}
