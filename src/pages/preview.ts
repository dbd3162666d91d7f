import { html, type SafeHtml } from '@remix-run/html-template'
import { lazy } from '../concurrency/lazy.ts'
import { page } from './layout.ts'
import { reportLine } from './report.ts'
import { hostOf, safeHref } from './safe-url.ts'
import { shortLinkText } from './short-link-text.ts'

export type PreviewPage = {
  nonce: string
  shortUrl: string
  /** When the link was made. */
  date: Date
  /** Where it leads; `null` hides all of it for a link with a password. */
  link: { target: string; title: string; description?: string } | null
  /** Where the link is reported. */
  report?: string
}

/**
 * Where a short link leads, without going there. The buttons lead to the short URL, so that going
 * on counts as a visit and the link's own rules apply. Needs nothing beyond the common policy.
 */
export function previewPage({ nonce, shortUrl, date, link, report }: PreviewPage): string {
  return page({
    title: 'Link preview',
    nonce,
    width: 'wide',
    body: html`<p class="eyebrow">Link preview</p>
${link ? shown(link) : hidden}
<dl class="facts">
<dt>Short link</dt><dd class="address"><bdi>${shortLinkText(shortUrl)}</bdi></dd>
<dt>Made on</dt><dd><time datetime="${date.toISOString()}">${day().format(date)}</time></dd>
</dl>
<p class="actions">
<a class="button" href="${safeHref(shortUrl)}" rel="nofollow">${link ? `Continue to ${hostOf(link.target)}` : 'Enter the password'}</a>
</p>
${reportLine(report)}`,
  })
}

const hidden = html`<h1>This link is protected</h1>
<p class="soft">Where it leads is shown to those who know its password.</p>`

const day = lazy(() => new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }))

function shown({ target, title, description }: NonNullable<PreviewPage['link']>): SafeHtml {
  return html`<h1 dir="auto">${title}</h1>
${description ? html`<p class="soft text" dir="auto">${description}</p>` : null}
<div class="inset">
<p class="small soft">Leads to <strong class="host">${hostOf(target)}</strong></p>
${address(target)}
</div>`
}

/** A long address scrolls in a box of its own, which the keyboard can reach. */
function address(target: string): SafeHtml {
  return target.length > 300
    ? html`<div class="address scroll" tabindex="0" role="group" aria-label="Long address">${target}</div>`
    : html`<p class="address">${target}</p>`
}
