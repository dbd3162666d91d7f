import { html, type SafeHtml } from '@remix-run/html-template'
import { shortLinkText } from '../../../pages/short-link-text.ts'
import { type CodeType, codeFields, codeTypes } from './fields.ts'

export type CodeContent = {
  type: CodeType
  /** Content by field name. */
  parts: Readonly<Record<string, string>>
  /** The short link that a code encodes, if it encodes one. */
  shortUrl?: string | undefined
}

/** What happens when a code is scanned. */
const whatHappens: Readonly<Record<CodeType, string>> = {
  link: 'Opens a web page',
  text: 'Shows text',
  wifi: 'Joins a Wi-Fi network',
  vcard: 'Saves a contact',
  email: 'Starts an email',
  phone: 'Calls a number',
  sms: 'Starts a text message',
}

/** Renders what a phone does with a code. */
export function codeParts({ type, parts, shortUrl }: CodeContent): SafeHtml {
  const rows = codeFields[type].flatMap((field) => {
    const value = parts[field.name] ?? ''
    if (value === '') return []
    if (field.type === 'choice') {
      return [[field.label, field.choices.find((one) => one.value === value)?.label ?? value]]
    }
    if (field.name === 'card') return [['Contact', value]]
    return [[field.label, field.type === 'check' ? 'yes' : value]]
  })
  return html`<p>${whatHappens[type]}</p>
<dl class="facts">
<dt>Type</dt><dd>${codeTypes[type]}</dd>
${shortUrl ? html`<dt>Encoded URL</dt><dd class="address"><bdi>${shortLinkText(shortUrl)}</bdi></dd>` : null}
${rows.map(
  ([label, value]) =>
    html`<dt>${type === 'link' ? 'Destination' : label}</dt><dd class="text" dir="auto">${value}</dd>`,
)}</dl>`
}
