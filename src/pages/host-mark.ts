import { html, type SafeHtml } from '@remix-run/html-template'

/** A host name inside a sentence of any language. */
export function hostMark(host: string): SafeHtml {
  return html`<bdi class="host">${host}</bdi>`
}
