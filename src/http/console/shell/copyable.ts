import { html, type SafeHtml } from '@remix-run/html-template'
import { shortLinkText } from '../../../pages/short-link-text.ts'
import { shellMessages } from './messages.ts'

/** Renders a text, usually a URL, with a copy button. `id` is unique on the page. */
export function renderCopyable({
  id,
  ...shown
}: { id: string } & ({ text: string } | { href: string })): SafeHtml {
  return html`<span class="copyable">${
    'text' in shown
      ? html`<code id="${id}">${shown.text}</code>`
      : html`<a class="address" id="${id}" data-text="${shown.href}" href="${shown.href}" rel="noreferrer" target="_blank"><bdi>${shortLinkText(shown.href)}</bdi></a>`
  } <button class="button quiet small" type="button" data-copy="${id}" aria-describedby="${id}">${shellMessages.copy.button}</button></span>`
}
