import { html } from '@remix-run/html-template'
import { strokes } from './brand-mark.ts'

/** The path of the pages' icon. */
export const faviconPath = '/favicon.svg'

/** Returns the icon as an SVG document. */
export function favicon(): string {
  return String(
    html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="9" fill="#0b6b5a"/>${strokes('#fff')}</svg>`,
  )
}
