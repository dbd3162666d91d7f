import { html, type SafeHtml } from '@remix-run/html-template'
import { brandMark, faviconPath } from './brand-mark.ts'
import { style } from './style.ts'
import { getDirection, type Language, languageTag } from './texts.ts'

export type Page = {
  title: string
  /** The nonce of the page's policy. Not needed if the policy allows the style by its hash. */
  nonce?: string | undefined
  body: SafeHtml
  head?: SafeHtml | null
  language?: Language
  /** `bleed` fills the entire window and has no card or footer. */
  width?: 'narrow' | 'wide' | 'bleed'
  /**
   * Whether search engines may index the page. False for short links and the pages that are shown
   * before a redirect.
   */
  indexed?: boolean
}

/** Parts of every page that a domain's brand replaces. */
export const faviconLink = String(
  html`<link rel="icon" type="image/svg+xml" href="${faviconPath}">`,
)
export const defaultFooter = createFooter('Brevis')

/** Renders a complete HTML document with `body` inside `<main>`. */
export function page({
  title,
  nonce,
  body,
  head = null,
  language = 'en',
  width = 'narrow',
  indexed = false,
}: Page): string {
  return String(html`<!doctype html>
<html lang="${languageTag(language)}"${getDirection(language) === 'rtl' ? html` dir="rtl"` : null}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${indexed ? null : html`<meta name="robots" content="noindex">`}
<title>${title}</title>
${html.raw`${faviconLink}`}
${head}
<style${nonce === undefined ? null : html` nonce="${nonce}"`}>${style}</style>
</head>
<body class="${width}">
<main>
${body}
</main>
${width === 'bleed' ? null : html.raw`${defaultFooter}`}
</body>
</html>
`)
}

/** Returns the footer of an installation's pages. */
export function createFooter(siteName: string): string {
  return String(html`<footer><p>${brandMark} ${siteName}</p></footer>`)
}
