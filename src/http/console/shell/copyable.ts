import { html, type SafeHtml } from '@remix-run/html-template'
import { copiedShortUrl, shortLinkText } from '../../../pages/short-link-text.ts'
import { t } from '../../../texts.ts'

/** Renders a text or a link with a copy button. `id` must be unique on the page. */
export function renderCopyable({
  id,
  ...content
}: { id: string } & ({ text: string } | { href: string })): SafeHtml {
  return html`<span class="copyable">${
    'text' in content
      ? html`<code id="${id}">${content.text}</code>`
      : html`<a class="address" id="${id}" data-text="${copiedShortUrl(content.href)}" href="${content.href}" rel="noreferrer" target="_blank"><bdi>${shortLinkText(content.href)}</bdi></a>`
  } <button class="button quiet small" type="button" data-copy="${id}" aria-describedby="${id}">${t('shell.copy.button')}</button></span>`
}
