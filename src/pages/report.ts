import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField, field } from './field.ts'
import { page } from './layout.ts'
import { safeAction } from './safe-url.ts'
import { shortLinkText } from './short-link-text.ts'
import type { Language, PageContext } from './texts.ts'
import { visitorText } from './texts.ts'

export type ReportPage = PageContext & {
  shortUrl: string
  /** The path on this host to which the form posts. */
  action: string
  csrf: string
  values?: { reason: string; text: string }
  errors?: { reason?: string; text?: string }
}

const reasons = ['phishing', 'malware', 'spam', 'other'] as const

/** Renders a small link to the report form. Renders nothing if there is no path. */
export function reportLine(language: Language, path: string | undefined): SafeHtml | null {
  return path === undefined
    ? null
    : html`<p class="small report"><a class="soft" href="${safeAction(path)}" rel="nofollow">${visitorText(language, 'report.title')}</a></p>`
}

/**
 * Renders the form for reporting a link. Posts `csrf`, `reason` and `text` to `action`. Needs only
 * the common policy.
 */
export function reportPage({
  nonce,
  language,
  shortUrl,
  action,
  csrf,
  values,
  errors = {},
}: ReportPage): string {
  return page({
    title: visitorText(language, 'report.title'),
    nonce,
    language,
    body: html`<h1>${visitorText(language, 'report.title')}</h1>
<p class="address"><bdi>${shortLinkText(shortUrl)}</bdi></p>
<p class="soft">${visitorText(language, 'report.recipient')}</p>
<form method="post" action="${safeAction(action)}">
${csrfField(csrf)}
<fieldset class="reasons"${errors.reason ? html` aria-describedby="reason-error"` : null}>
<legend>${visitorText(language, 'report.reason')}</legend>
${reasons.map(
  (
    value,
    index,
  ) => html`<label class="reason"><input type="radio" name="reason" value="${value}" required${values?.reason === value ? html` checked` : null}${errors.reason && index === 0 ? html` autofocus` : null}> <span>${visitorText(language, `report.${value}`)} <span class="hint">${visitorText(language, `report.${value}Text`)}</span></span></label>
`,
)}${errors.reason ? html`<p class="error" id="reason-error" role="alert">${errors.reason}</p>` : null}
</fieldset>
${field({
  name: 'text',
  label: visitorText(language, 'report.details'),
  type: 'multiline',
  optional: true,
  autocomplete: 'off',
  value: values?.text ?? '',
  hint: visitorText(language, 'report.detailsHint'),
  maxLength: 1000,
  ...(errors.text && { error: errors.text, autofocus: true }),
})}
<button class="button full">${visitorText(language, 'report.send')}</button>
</form>`,
  })
}

/** Renders the thank-you page after a report. Needs only the common policy. */
export function reportedPage({ nonce, language }: PageContext): string {
  return page({
    title: visitorText(language, 'report.thanks'),
    nonce,
    language,
    body: html`<div role="status"><h1>${visitorText(language, 'report.thanks')}</h1>
<p class="soft">${visitorText(language, 'report.thanksText')}</p></div>`,
  })
}
