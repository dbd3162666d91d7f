import { html, type SafeHtml } from '@remix-run/html-template'

/**
 * A bracket with a word above the steps of a chart whose clicks came with an import; null where there
 * are none. `isImported` has a value for each step.
 */
export function importedMark(isImported: readonly boolean[]): SafeHtml | null {
  const first = isImported.indexOf(true)
  if (first === -1) return null
  const [from, to] = [first, isImported.lastIndexOf(true) + 1].map(
    (step) => Math.round((step / isImported.length) * 10_000) / 100,
  ) as [number, number]
  // Where there is no room to the right of its beginning, the word stands before its end.
  const word =
    from > 50
      ? html`<text class="imported at-end" x="${to}%" y="22">imported</text>`
      : html`<text class="imported" x="${from}%" y="22">imported</text>`
  return html`<line class="imported" x1="${from}%" x2="${to}%" y1="4" y2="4"/><line class="imported" x1="${from}%" x2="${from}%" y1="4" y2="10"/><line class="imported" x1="${to}%" x2="${to}%" y1="4" y2="10"/>${word}`
}
