import { html, type SafeHtml } from '@remix-run/html-template'

/** The path of the pages' icon. */
export const faviconPath = '/favicon.svg'

/** The logo in the text color: the symbols for a long and a short syllable. */
export const brandMark: SafeHtml = html`<svg class="mark" viewBox="0 0 32 32" width="20" height="20" aria-hidden="true" focusable="false"><rect width="32" height="32" rx="9" fill="var(--accent)"/>${strokes('var(--on-accent)')}</svg>`

/** Returns the two strokes of the logo in a view box of 32 by 32. */
export function strokes(color: string): SafeHtml {
  return html`<path d="M8 10.5h16M8.5 16.5c1 8 14 8 15 0" fill="none" stroke="${color}" stroke-width="3.2" stroke-linecap="round"/>`
}

/** Returns the icon as an SVG document. */
export function favicon(): string {
  return String(
    html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="9" fill="#0b6b5a"/>${strokes('#fff')}</svg>`,
  )
}
