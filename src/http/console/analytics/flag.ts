import { html, type SafeHtml } from '@remix-run/html-template'
import { assetPath } from '../assets.ts'
import { flagFile, flags } from './flag-files.ts'

/**
 * Renders the flag of a country beside its name, or null for an unknown code. Many systems have no
 * glyphs of flags, so it is an image.
 */
export function flagImage(code: string): SafeHtml | null {
  if (!flags.has(code)) return null
  return html`<img class="flag" src="${assetPath(flagFile(code))}" width="21" height="14" alt="" loading="lazy"> `
}
