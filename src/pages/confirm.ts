import { html } from '@remix-run/html-template'
import { page } from './layout.ts'
import { type Meta, metaTags } from './meta.ts'
import { passwordPolicy } from './password.ts'
import { reportLine } from './report.ts'
import { safeAction } from './safe-url.ts'
import type { PageContext } from './texts.ts'
import { visitorText } from './texts.ts'

export type ConfirmPage = PageContext & {
  shortUrl: string
  /** The path of the short URL. */
  action: string
  meta: Meta
  reportPath: string
}

/** A form to an unknown destination, as on the password page. */
export const confirmPolicy = passwordPolicy

/**
 * Renders the page of a link that opens only when a button is pressed, so that software that fetches
 * links uses up none of its clicks. Posts `confirm` to `action`. Reveals nothing about the
 * destination. Needs `confirmPolicy`.
 */
export function confirmPage({
  nonce,
  language,
  shortUrl,
  action,
  meta,
  reportPath,
}: ConfirmPage): string {
  const title = meta.title || visitorText(language, 'confirm.title')
  return page({
    title,
    nonce,
    language,
    head: html`<meta name="referrer" content="no-referrer">
${metaTags({ ...meta, title }, shortUrl)}`,
    body: html`<h1 dir="auto">${title}</h1>
<p class="soft">${visitorText(language, 'confirm.text')}</p>
<form method="post" action="${safeAction(action)}">
<input type="hidden" name="confirm" value="yes">
<button class="button full">${visitorText(language, 'confirm.open')}</button>
</form>
${reportLine(language, reportPath)}`,
  })
}
