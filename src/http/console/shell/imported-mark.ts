import { html, type SafeHtml } from '@remix-run/html-template'
import { t } from '../../../texts.ts'

/**
 * Renders a labeled bracket above a chart, from its first to its last step with imported clicks.
 * Returns null if there are none. `isImported` has a value per step.
 */
export function renderImportedMark(isImported: readonly boolean[]): SafeHtml | null {
  const first = isImported.indexOf(true)
  if (first === -1) return null
  const toPercent = (step: number) => Math.round((step / isImported.length) * 10_000) / 100
  const from = toPercent(first)
  const to = toPercent(isImported.lastIndexOf(true) + 1)
  // In the right half of the chart, the label might not fit after the start of the bracket.
  const label =
    from > 50
      ? html`<text class="imported at-end" x="${to}%" dx="-8" y="10">${t('shell.chart.importedClicks')}</text>`
      : html`<text class="imported" x="${from}%" dx="8" y="10">${t('shell.chart.importedClicks')}</text>`
  return html`<line class="imported" x1="${from}%" x2="${to}%" y1="6" y2="6"/><line class="imported" x1="${from}%" x2="${from}%" y1="2" y2="10"/><line class="imported" x1="${to}%" x2="${to}%" y1="2" y2="10"/>${label}`
}
