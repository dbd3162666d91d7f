import { html, type SafeHtml } from '@remix-run/html-template'
import { t } from '../../../texts.ts'
import { formatCount } from '../shell/format-count.ts'

export type PageLinks = {
  /** The number of the current page, from 1. */
  page: number
  /** The maximum number of entries on a page. */
  limit: number
  /** The number of entries on all pages. */
  total: number
  /** Returns the URL of the page with a number. */
  hrefOf: (page: number) => string
}

/**
 * Renders the links to the previous and next page of a list. Returns null on the first page if it is
 * the only one. A page after the last one links back to the last.
 */
export function renderPageLinks({ page, limit, total, hrefOf }: PageLinks): SafeHtml | null {
  const lastPage = Math.max(1, Math.ceil(total / limit))
  if (lastPage === 1 && page === 1) return null
  return html`<nav class="pages" aria-label="${t('resource.pages')}">
${page > 1 ? html`<a class="button quiet small" rel="prev" href="${hrefOf(Math.min(page - 1, lastPage))}">${t('resource.previous')}</a>` : null}
<span class="soft">${t('resource.pageOf', { page: formatCount(page), pages: formatCount(lastPage) })}</span>
${page < lastPage ? html`<a class="button quiet small" rel="next" href="${hrefOf(page + 1)}">${t('resource.next')}</a>` : null}
</nav>`
}
