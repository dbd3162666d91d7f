import { html, type SafeHtml } from '@remix-run/html-template'
import { hostOf, safeHref } from './safe-url.ts'
import type { Language } from './texts.ts'
import { visitorHtml } from './texts.ts'

/**
 * Returns the text of a button that opens `destination`. It is a single element, because a flex
 * container removes the spaces between several elements.
 */
export function continueText(language: Language, destination: string): SafeHtml {
  const host = html`<bdi>${hostOf(destination)}</bdi>`
  return html`<span>${visitorHtml(language, 'destination.continueTo', { host })}</span>`
}

/** Renders the button that opens `destination`. Its id for scripts is `onward`. */
export function continueLink(language: Language, destination: string): SafeHtml {
  return html`<p class="actions"><a class="button full" id="onward" href="${safeHref(destination)}">${continueText(language, destination)}</a></p>`
}
