import { html, type SafeHtml } from '@remix-run/html-template'
import { shortLinkText } from '../../../pages/short-link-text.ts'
import { type CodeType, listCodeFields } from './fields.ts'
import { codeMessages as messages } from './messages.ts'

export type CodeContent = {
  type: CodeType
  /** The encoded content by field name. For links, only the destination as `url`. */
  parts: Readonly<Record<string, string>>
  /** The short URL that the code encodes, if it encodes one. */
  shortUrl?: string | undefined
}

/** Renders the action that a code triggers on a phone, its type and its content. */
export function renderCodeContent({ type, parts, shortUrl }: CodeContent): SafeHtml {
  const rows = listCodeFields(type).flatMap((field) => {
    const value = parts[field.name] ?? ''
    if (value === '') return []
    if (field.type === 'choice') {
      return [[field.label, field.choices.find((choice) => choice.value === value)?.label ?? value]]
    }
    if (field.name === 'card') return [[messages.contact, value]]
    return [[field.label, field.type === 'check' ? messages.yes : value]]
  })
  return html`<p>${messages.actions[type]}</p>
<dl class="facts">
<dt>${messages.type}</dt><dd>${messages.types[type]}</dd>
${shortUrl ? html`<dt>${messages.encodedUrl}</dt><dd class="address"><bdi>${shortLinkText(shortUrl)}</bdi></dd>` : null}
${rows.map(
  ([label, value]) =>
    html`<dt>${type === 'link' ? messages.destination : label}</dt><dd class="text" dir="auto">${value}</dd>`,
)}</dl>`
}
