import { html, type SafeHtml } from '@remix-run/html-template'

/** A short link, or another text, with a button that copies it. `id` is unique on its page. */
export function copyable({
  id,
  text,
  href,
}: {
  id: string
  text: string
  href?: string
}): SafeHtml {
  return html`<span class="copyable">${
    href === undefined
      ? html`<code id="${id}">${text}</code>`
      : html`<a class="address" id="${id}" href="${href}" rel="noreferrer" target="_blank">${text}</a>`
  } <button class="button quiet small" type="button" data-copy="${id}" aria-describedby="${id}">Copy</button></span>`
}
