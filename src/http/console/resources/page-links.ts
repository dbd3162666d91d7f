import { html, type SafeHtml } from '@remix-run/html-template'

export type PageLinks = {
  page: number
  limit: number
  total: number
  hrefOf: (page: number) => string
}

/** Returns the links to the previous and next page of a list, or null if there is only one page. */
export function pageLinks({ page, limit, total, hrefOf }: PageLinks): SafeHtml | null {
  const last = Math.max(1, Math.ceil(total / limit))
  if (last === 1 && page === 1) return null
  return html`<nav class="pages" aria-label="Pages">
${page > 1 ? html`<a class="button quiet small" rel="prev" href="${hrefOf(Math.min(page - 1, last))}">Previous</a>` : null}
<span class="soft">Page ${page} of ${last}</span>
${page < last ? html`<a class="button quiet small" rel="next" href="${hrefOf(page + 1)}">Next</a>` : null}
</nav>`
}
