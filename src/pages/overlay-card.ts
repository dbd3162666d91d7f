import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField, emailField, field } from './field.ts'
import { safeAction, safeHref } from './safe-url.ts'
import type { Language } from './texts.ts'
import { visitorText } from './texts.ts'

type Common = { title: string; text?: string }

/** The content of an overlay. The types are those of the API. */
export type OverlayCard =
  | (Common & { type: 'contact'; button?: string })
  | (Common & { type: 'newsletter'; button?: string })
  | (Common & { type: 'poll'; options: readonly string[]; button?: string })
  | (Common & { type: 'message'; button?: string; link?: string })
  | (Common & { type: 'image'; image: string; alt?: string; link?: string })

/** The state of the form of a contact, newsletter or poll overlay. */
export type OverlayForm = {
  /** The short URL or its path. */
  action: string
  csrf: string
  /** Whether the form was submitted. The card then thanks the visitor. */
  done?: boolean
  values?: { name?: string; email?: string; message?: string; choice?: string }
  /** Errors by field. `form` is for all other errors. */
  errors?: { name?: string; email?: string; message?: string; choice?: string; form?: string }
}

/**
 * Renders the content of a card, or a thank-you note if its form was submitted. The form posts `csrf`
 * and the fields of its type: `name`, `email` and `message` for a contact form, `email` for a
 * newsletter, `choice` (the index of the selected option) for a poll.
 */
export function overlayContent(language: Language, card: OverlayCard, form: OverlayForm): SafeHtml {
  if (form.done) return renderThankYou(language, card)
  switch (card.type) {
    case 'contact':
      return html`${heading(card)}${renderForm(form, contactFields(language, form), card.button || visitorText(language, 'overlay.send'))}`
    case 'newsletter':
      return html`${heading(card)}${renderForm(form, emailField(form.values, form.errors, visitorText(language, 'overlay.email')), card.button || visitorText(language, 'overlay.subscribe'))}`
    case 'poll':
      return html`${heading(card)}${renderForm(form, pollOptions(card, form), card.button || visitorText(language, 'overlay.vote'))}`
    case 'message':
      return html`${heading(card)}${linkButton(card.link, card.button || visitorText(language, 'overlay.learnMore'))}`
    case 'image':
      return image(card)
  }
}

function heading({ title, text }: Common): SafeHtml {
  return html`<h2 dir="auto">${title}</h2>
${text ? html`<p class="soft text" dir="auto">${text}</p>` : null}
`
}

function renderThankYou(language: Language, { type }: OverlayCard): SafeHtml {
  const confirmations: Partial<Record<OverlayCard['type'], string>> = {
    poll: visitorText(language, 'overlay.voted'),
    newsletter: visitorText(language, 'overlay.subscribed'),
  }
  const confirmation = confirmations[type] ?? visitorText(language, 'overlay.sent')
  return html`<div role="status"><h2>${visitorText(language, 'overlay.thanks')}</h2><p class="soft">${confirmation}</p></div>`
}

function renderForm(
  { action, csrf, errors }: OverlayForm,
  fields: SafeHtml,
  button: string,
): SafeHtml {
  return html`${errors?.form ? html`<p class="notice" role="alert">${errors.form}</p>` : null}
<form method="post" action="${safeAction(action)}">
${csrfField(csrf)}
${fields}
<button class="button full">${button}</button>
</form>`
}

function contactFields(language: Language, form: OverlayForm): SafeHtml {
  const { values = {}, errors = {} } = form
  return html`${field({
    name: 'name',
    label: visitorText(language, 'overlay.name'),
    autocomplete: 'name',
    value: values.name,
    error: errors.name,
    maxLength: 200,
  })}
${emailField(values, errors, visitorText(language, 'overlay.email'))}
${field({
  name: 'message',
  label: visitorText(language, 'overlay.message'),
  type: 'multiline',
  autocomplete: 'off',
  value: values.message,
  error: errors.message,
  maxLength: 5000,
})}`
}

function pollOptions(
  { title, options }: { title: string; options: readonly string[] },
  { values = {}, errors = {} }: OverlayForm,
): SafeHtml {
  const describedBy = errors.choice ? html` aria-describedby="choice-error"` : null
  return html`<fieldset${describedBy}>
<legend class="hidden-text">${title}</legend>
${options.map(
  (
    option,
    index,
  ) => html`<label class="option"><input type="radio" name="choice" value="${index}" required${values.choice === String(index) ? html` checked` : null}><span dir="auto">${option}</span></label>
`,
)}${errors.choice ? html`<p class="error" id="choice-error" role="alert">${errors.choice}</p>` : null}
</fieldset>`
}

function linkButton(link: string | undefined, text: string): SafeHtml | null {
  if (!link || safeHref(link) === '#') return null
  return html`<p class="actions"><a class="button full" href="${safeHref(link)}">${text}</a></p>`
}

/** Renders the image. Its alternative text is `alt` or, if that is empty, the title of the card. */
function image(card: Extract<OverlayCard, { type: 'image' }>): SafeHtml {
  const picture = html`<img src="${safeHref(card.image)}" alt="${card.alt || card.title}">`
  const hasLink = card.link && safeHref(card.link) !== '#'
  return html`<div class="cta-image">${hasLink ? html`<a href="${safeHref(card.link ?? '')}">${picture}</a>` : picture}</div>
${card.text ? html`<p class="soft text" dir="auto">${card.text}</p>` : null}`
}
