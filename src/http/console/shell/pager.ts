import { html, type SafeHtml } from '@remix-run/html-template'
import { t } from '../../../texts.ts'

/**
 * Renders the links to the adjacent pages of a chronological list, by their URLs. Returns null if
 * there are none.
 */
export function renderPager({
  newer,
  older,
}: {
  newer: string | undefined
  older: string | undefined
}): SafeHtml | null {
  if (newer === undefined && older === undefined) return null
  return html`<nav class="pager" aria-label="${t('shell.pager.label')}">${newer ? html`<a class="button quiet small" rel="prev" href="${newer}">${t('shell.pager.newer')}</a>` : html`<span></span>`}${older ? html`<a class="button quiet small" rel="next" href="${older}">${t('shell.pager.older')}</a>` : html`<span></span>`}</nav>`
}
