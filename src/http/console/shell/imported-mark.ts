import { html, type SafeHtml } from '@remix-run/html-template'
import { shellMessages } from './messages.ts'

/**
 * Renders a labeled bracket above the steps of a chart with imported clicks, or null without any.
 * `isImported` has a value per step.
 */
export function renderImportedMark(isImported: readonly boolean[]): SafeHtml | null {
  const first = isImported.indexOf(true)
  if (first === -1) return null
  const [from, to] = [first, isImported.lastIndexOf(true) + 1].map(
    (step) => Math.round((step / isImported.length) * 10_000) / 100,
  ) as [number, number]
  // If the label does not fit to the right of the start, it ends at the bracket's end.
  const label =
    from > 50
      ? html`<text class="imported at-end" x="${to}%" dx="-8" y="10">${shellMessages.chart.importedClicks}</text>`
      : html`<text class="imported" x="${from}%" dx="8" y="10">${shellMessages.chart.importedClicks}</text>`
  return html`<line class="imported" x1="${from}%" x2="${to}%" y1="6" y2="6"/><line class="imported" x1="${from}%" x2="${from}%" y1="2" y2="10"/><line class="imported" x1="${to}%" x2="${to}%" y1="2" y2="10"/>${label}`
}
