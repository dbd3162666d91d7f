import { html, type SafeHtml } from '@remix-run/html-template'
import { shortLinkText } from '../../../pages/short-link-text.ts'
import { t } from '../../../texts.ts'
import { type CodeType, listCodeFields } from './fields.ts'

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
    if (field.name === 'card') return [[t('code.contact'), value]]
    return [[field.label, field.type === 'check' ? t('code.yes') : value]]
  })
  return html`<p>${t(`code.actions.${type}`)}</p>
<dl class="facts">
<dt>${t('code.type')}</dt><dd>${t(`code.types.${type}`)}</dd>
${shortUrl ? html`<dt>${t('code.encodedUrl')}</dt><dd class="address"><bdi>${shortLinkText(shortUrl)}</bdi></dd>` : null}
${rows.map(
  ([label, value]) =>
    html`<dt>${type === 'link' ? t('code.destination') : label}</dt><dd class="text" dir="auto">${value}</dd>`,
)}</dl>`
}
