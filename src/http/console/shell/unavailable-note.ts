import { html, type SafeHtml } from '@remix-run/html-template'
import { t } from '../../../texts.ts'

/** Renders the note shown instead of statistics while a database server with clicks is unavailable. */
export function renderUnavailableNote(): SafeHtml {
  return html`<p class="notice" role="status">${t('shell.statisticsUnavailable')}</p>`
}
