import { html, type SafeHtml } from '@remix-run/html-template'

/**
 * Returns an SVG document: a circle in a color derived from `name` (a username or title), with up
 * to two initials, or `?` if the name has no letters or digits. Other characters are ignored, so the
 * XML is always well-formed.
 */
export function avatar(name: string): string {
  return String(avatarSvg(name))
}

/** Returns the same image for use inside a page. */
export function avatarSvg(name: string): SafeHtml {
  return html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 96" width="96" height="96" color="${avatarColor(name)}"><circle cx="48" cy="48" r="48" fill="currentColor"/><text x="48" y="49" fill="#fff" font-family="system-ui, 'Segoe UI', Roboto, 'Liberation Sans', sans-serif" font-size="38" font-weight="600" text-anchor="middle" dominant-baseline="central">${getInitials(name)}</text></svg>`
}

/**
 * Returns a color with a contrast of at least 4.5:1 with white text. A lightness of 32% ensures
 * this for every hue.
 */
export function avatarColor(name: string): string {
  let hash = 0
  for (const char of name) hash = (Math.imul(hash, 31) + (char.codePointAt(0) ?? 0)) >>> 0
  return `hsl(${hash % 360} 45% 32%)`
}

function getInitials(name: string): string {
  const words = name.normalize('NFC').match(/[\p{L}\p{N}]+/gu) ?? []
  const first = words.slice(0, 2).map((word) => [...word][0] ?? '')
  return first.join('').toUpperCase() || '?'
}
