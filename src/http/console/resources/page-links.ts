import { html, type SafeHtml } from '@remix-run/html-template'
import { formatCount } from '../shell/format-count.ts'
import { resourceMessages as messages } from './messages.ts'

export type PageLinks = {
  page: number
  limit: number
  total: number
  hrefOf: (page: number) => string
}

/** Returns the links to the previous and next page of a list, or null if there is only one page. */
export function renderPageLinks({ page, limit, total, hrefOf }: PageLinks): SafeHtml | null {
  const last = Math.max(1, Math.ceil(total / limit))
  if (last === 1 && page === 1) return null
  return html`<nav class="pages" aria-label="${messages.pages}">
${page > 1 ? html`<a class="button quiet small" rel="prev" href="${hrefOf(Math.min(page - 1, last))}">${messages.previous}</a>` : null}
<span class="soft">${messages.pageOf(formatCount(page), formatCount(last))}</span>
${page < last ? html`<a class="button quiet small" rel="next" href="${hrefOf(page + 1)}">${messages.next}</a>` : null}
</nav>`
}
