import { html, type SafeHtml } from '@remix-run/html-template'
import { shellMessages } from './messages.ts'

/** Renders the note shown instead of statistics while a database server with clicks is unavailable. */
export function renderUnavailableNote(): SafeHtml {
  return html`<p class="notice" role="status">${shellMessages.statisticsUnavailable}</p>`
}
