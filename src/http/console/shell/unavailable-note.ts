import { html, type SafeHtml } from '@remix-run/html-template'
import { shellMessages } from './messages.ts'

/** Renders the note shown instead of statistics while the server that stores them is down. */
export function renderUnavailableNote(): SafeHtml {
  return html`<p class="notice" role="status">${shellMessages.statisticsUnavailable}</p>`
}
