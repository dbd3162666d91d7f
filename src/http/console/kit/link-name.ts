import { html, type SafeHtml } from '@remix-run/html-template'
import { decodeUrl, hostOf } from '../../../pages/safe-url.ts'
import { copiedShortUrl, hostText, shortLinkText } from '../../../pages/short-link-text.ts'
import { t } from '../../../texts.ts'
import { parseWebUrl } from '../../../urls/destination-url.ts'
import { renderIcon } from '../shell/icon.ts'

/**
 * Marks the words of a search in a text. More than `maxBefore` characters before the first match are
 * left out, so that a cut text still shows it.
 */
export type Mark = (text: string, maxBefore?: number) => SafeHtml | string

/** A short URL of this length fits, so it is shown from its start even if the match is at its end. */
const SHORT_URL_LENGTH = 30

export type NamedLink = { shortUrl: string; metaTitle?: string | null | undefined }

type Options = {
  /** The page of the link. */
  href?: string | undefined
  /** The id of the short URL, which then has a button that copies it. It must be unique on the page. */
  copyId?: string
  /** Additional attributes of the title, each preceded by a space. */
  attributes?: SafeHtml
  /** Content beside the title, and beside the short URL. */
  beside?: SafeHtml | null
  below?: SafeHtml | null
  /** Renders a text with what was searched for marked. */
  mark?: Mark
}

/** Returns the name of a link as text: its title, or its short URL if it has none. */
export function linkNameText({ metaTitle, shortUrl }: NamedLink): string {
  return metaTitle || shortLinkText(shortUrl)
}

/** Renders the name of a link: its title with the short URL below, or only the short URL. */
export function renderLinkName(link: NamedLink, options: Options = {}): SafeHtml {
  const { href, copyId, attributes, beside, below, mark = (text) => text } = options
  const { metaTitle, shortUrl } = link
  const source = copyId ? html` id="${copyId}" data-text="${copiedShortUrl(shortUrl)}"` : null
  const short = html`<bdi${source}>${mark(shortLinkText(shortUrl), SHORT_URL_LENGTH)}</bdi>`
  const name = metaTitle ? html`<bdi>${mark(metaTitle)}</bdi>` : short
  const copy = copyId
    ? renderCopyIcon(copyId, t('links.copyLink', { link: shortLinkText(shortUrl) }))
    : null
  const line = metaTitle ? html`<span class="cut">${short}</span>${copy}` : null
  return html`<span class="link-name"><span class="name-line">${href ? html`<a class="title cut" href="${href}"${attributes}>${name}</a>` : html`<span class="title cut"${attributes}>${name}</span>`}${metaTitle ? null : copy}${beside}</span>${line || below ? html`<span class="short">${line}${below}</span>` : null}</span>`
}

/** Renders a public URL in a list, with a button that copies it. `copyId` must be unique on the page. */
export function renderPublicUrl(shortUrl: string, copyId: string): SafeHtml {
  const attributes = html` rel="noreferrer" target="_blank"`
  return renderLinkName({ shortUrl }, { href: shortUrl, copyId, attributes })
}

/** Renders a button that copies the text of the element with this id. `name` is for screen readers. */
export function renderCopyIcon(id: string, name: string): SafeHtml {
  return html`<button class="copy" type="button" data-copy="${id}" aria-label="${name}" title="${t('shell.copy.button')}">${renderIcon('copy')}</button>`
}

/** Renders a destination: its host without `www.`, and its path, which stands back. */
export function renderDestination(url: string, mark: Mark = (text) => text) {
  const web = parseWebUrl(url)
  const host = web ? hostText(web.host).replace(/^www\./, '') : hostOf(url)
  const path = web ? (web.pathname + web.search + web.hash).replace(/^\/$/, '') : ''
  return html`<span class="goal cut" title="${url}"><bdi>${mark(host)}</bdi><bdi class="soft">${mark(decodeUrl(path))}</bdi></span>`
}
