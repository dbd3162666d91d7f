import { html, type SafeHtml } from '@remix-run/html-template'

/** Isolates a host name in a sentence, whatever its writing direction. */
export function hostMark(host: string): SafeHtml {
  return html`<bdi class="host">${host}</bdi>`
}
