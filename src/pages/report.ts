import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField, field } from './field.ts'
import { page } from './layout.ts'
import { safeAction } from './safe-url.ts'
import { shortLinkText } from './short-link-text.ts'

export type ReportPage = {
  nonce: string
  shortUrl: string
  /** Where the form posts to, a path of this host. */
  action: string
  csrf: string
  values?: { reason: string; text: string }
  errors?: { reason?: string; text?: string }
}

const reasons = [
  ['phishing', 'Phishing', 'It pretends to be another site, to get at passwords or money.'],
  ['malware', 'Malware', 'It spreads viruses or other harmful programs.'],
  ['spam', 'Spam', 'It is in messages that nobody asked for.'],
  ['other', 'Something else', 'Please say what below.'],
] as const

/** The quiet way from a page of a link to its report; nothing for a page that has none. */
export function reportLine(path: string | undefined): SafeHtml | null {
  return path === undefined
    ? null
    : html`<p class="small report"><a class="soft" href="${safeAction(path)}" rel="nofollow">Report this link</a></p>`
}

/**
 * The form by which a visitor reports a link; posts `csrf`, `reason` and `text` to `action`. Needs nothing
 * beyond the common policy.
 */
export function reportPage({ nonce, shortUrl, action, csrf, values, errors = {} }: ReportPage) {
  return page({
    title: 'Report a link',
    nonce,
    body: html`<p class="eyebrow">Report a link</p>
<h1>What is wrong with this link?</h1>
<p class="address"><bdi>${shortLinkText(shortUrl)}</bdi></p>
<p class="soft">Your report goes to whoever runs this service, not to the owner of the link.</p>
<form method="post" action="${safeAction(action)}">
${csrfField(csrf)}
<fieldset class="reasons"${errors.reason ? html` aria-describedby="reason-error"` : null}>
<legend>Reason</legend>
${reasons.map(
  (
    [value, name, about],
    index,
  ) => html`<label class="reason"><input type="radio" name="reason" value="${value}" required${values?.reason === value ? html` checked` : null}${errors.reason && index === 0 ? html` autofocus` : null}> <span>${name} <span class="hint">${about}</span></span></label>
`,
)}${errors.reason ? html`<p class="error" id="reason-error" role="alert">${errors.reason}</p>` : null}
</fieldset>
${field({
  name: 'text',
  label: 'What you know of it',
  type: 'multiline',
  optional: true,
  autocomplete: 'off',
  value: values?.text ?? '',
  hint: 'You may leave this empty. Please write nothing here that is private.',
  maxLength: 1000,
  ...(errors.text && { error: errors.text, autofocus: true }),
})}
<button class="button full">Send report</button>
</form>`,
  })
}

/** Says thank you for a report. Needs nothing beyond the common policy. */
export function reportedPage({ nonce }: { nonce: string }): string {
  return page({
    title: 'Thank you',
    nonce,
    body: html`<div role="status"><h1>Thank you</h1>
<p class="soft">Your report has arrived. Somebody who runs this service will look at the link.</p></div>`,
  })
}
