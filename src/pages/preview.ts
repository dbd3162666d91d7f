import { html, type SafeHtml } from '@remix-run/html-template'
import { continueText } from './continue-link.ts'
import { page } from './layout.ts'
import { reportLine } from './report.ts'
import { hostOf, safeHref } from './safe-url.ts'
import { hostMark, shortLinkText } from './short-link-text.ts'
import { type Language, languageTag, type PageContext, visitorText } from './texts.ts'

export type PreviewPage = PageContext & {
  shortUrl: string
  /** When the link was created. */
  date: Date
  /** The link's content, or null to hide it if the link has a password or a click limit. */
  link: { destination: string; title: string; description?: string } | null
  /** Whether the destination is hidden only because of a click limit. */
  isLimited?: boolean
  /** The path of the report form. */
  reportPath?: string
}

/**
 * Renders the destination of a short link without opening it. The button opens the short URL, so that
 * continuing counts as a visit and the link's rules apply. Needs only the common policy.
 */
export function previewPage({
  nonce,
  language,
  shortUrl,
  date,
  link,
  isLimited = false,
  reportPath,
}: PreviewPage): string {
  return page({
    title: visitorText(language, 'preview.title'),
    nonce,
    language,
    width: 'wide',
    body: html`${isLimited ? null : html`<p class="eyebrow">${visitorText(language, 'preview.title')}</p>`}
${link ? destinationSection(language, link) : hiddenSection(language, isLimited)}
<dl class="facts">
<dt>${visitorText(language, 'preview.shortLink')}</dt><dd class="address"><bdi>${shortLinkText(shortUrl)}</bdi></dd>
<dt>${visitorText(language, 'preview.created')}</dt><dd><time datetime="${date.toISOString()}">${dateFormat(language).format(date)}</time></dd>
</dl>
<p class="actions">
<a class="button" href="${safeHref(shortUrl)}" rel="nofollow">${link || isLimited ? continueText(language, link?.destination ?? shortUrl) : visitorText(language, 'preview.enterPassword')}</a>
</p>
${reportLine(language, reportPath)}`,
  })
}

function hiddenSection(language: Language, isLimited: boolean): SafeHtml {
  if (isLimited) return html`<h1>${visitorText(language, 'preview.title')}</h1>`
  return html`<h1>${visitorText(language, 'preview.protected')}</h1>
<p class="soft">${visitorText(language, 'preview.protectedText')}</p>`
}

function dateFormat(language: Language): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(languageTag(language), { dateStyle: 'long', timeZone: 'UTC' })
}

function destinationSection(
  language: Language,
  { destination, title, description }: NonNullable<PreviewPage['link']>,
): SafeHtml {
  return html`<h1 dir="auto">${title}</h1>
${description ? html`<p class="soft text" dir="auto">${description}</p>` : null}
<div class="inset">
<p class="small soft">${visitorText(language, 'preview.destination')}: <strong>${hostMark(hostOf(destination))}</strong></p>
${urlBox(language, destination)}
</div>`
}

/** Renders a URL. A long URL scrolls in a focusable box. */
function urlBox(language: Language, destination: string): SafeHtml {
  return destination.length > 300
    ? html`<div class="address scroll" tabindex="0" role="group" aria-label="${visitorText(language, 'preview.destinationUrl')}">${destination}</div>`
    : html`<p class="address">${destination}</p>`
}
