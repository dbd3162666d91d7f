import { html, type SafeHtml } from '@remix-run/html-template'

/** Isolates a host name within a sentence of any writing direction. */
export function hostMark(host: string): SafeHtml {
  return html`<bdi class="host">${host}</bdi>`
}
