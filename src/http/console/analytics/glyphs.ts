import { readFileSync } from 'node:fs'
import { html, type SafeHtml } from '@remix-run/html-template'

type Glyphs = {
  /** SVG paths in a 16 by 16 view box, drawn as lines. They hint at what a label is, without logos. */
  shapes: Record<string, string>
  /** By list: patterns of labels, and the shape of those that match. The first match counts. */
  lists: Record<string, [pattern: string, shape: string][]>
}

const { shapes, lists } = JSON.parse(
  readFileSync(new URL('./glyphs.json', import.meta.url), 'utf8'),
) as Glyphs
const patterns = new Map(
  Object.entries(lists).map(([list, rules]) => [
    list,
    rules.map(([pattern, shape]) => [new RegExp(pattern, 'i'), shapes[shape] ?? ''] as const),
  ]),
)

/** Renders the glyph of a label, if its list has glyphs. Screen readers ignore it. */
export function renderGlyph(list: string, label: string): SafeHtml | null {
  const [, path] = patterns.get(list)?.find(([pattern]) => pattern.test(label)) ?? []
  if (path === undefined) return null
  return html`<svg class="icon glyph" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><path d="${path}"/></svg>`
}
