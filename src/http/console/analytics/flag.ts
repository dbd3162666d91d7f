import { html, type SafeHtml } from '@remix-run/html-template'
import { resolveAssetPath } from '../assets.ts'
import { flags, getFlagFileName } from './flag-files.ts'

/**
 * Renders the flag of a country as an image, or returns null for an unknown code. Many systems lack
 * the flag emoji.
 */
export function renderFlagImage(code: string): SafeHtml | null {
  if (!flags.has(code)) return null
  return html`<img class="flag" src="${resolveAssetPath(getFlagFileName(code))}" width="21" height="14" alt="" loading="lazy"> `
}
