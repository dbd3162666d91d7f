import { html, type SafeHtml } from '@remix-run/html-template'
import { t } from '../../../texts.ts'
import { formatCount } from '../shell/format.ts'

type PageLinks = {
  /** The number of the current page, from 1. */
  page: number
  /** The maximum number of entries on a page. */
  limit: number
  /** The number of entries on all pages. */
  total: number
  /** Whether there are more than `total` entries, which were not counted. */
  hasMore?: boolean
  /** Returns the URL of the page with a number. */
  hrefOf: (page: number) => string
}

/**
 * Renders the links to the previous and next page of a list. Returns null on the first page if it is
 * the only one. A page after the last one links back to the last.
 */
export function renderPageLinks(links: PageLinks): SafeHtml | null {
  const { page, limit, total, hasMore = false, hrefOf } = links
  const lastPage = Math.max(1, Math.ceil(total / limit))
  if (lastPage === 1 && page === 1) return null
  const position = { page: formatCount(page), pages: formatCount(lastPage) }
  return html`<nav class="pages" aria-label="${t('resource.pages')}">
${page > 1 ? html`<a class="button quiet small" rel="prev" href="${hrefOf(Math.min(page - 1, lastPage))}">${t('resource.previous')}</a>` : null}
<span class="soft">${t(hasMore ? 'links.pageOfMore' : 'resource.pageOf', position)}</span>
${page < lastPage || hasMore ? html`<a class="button quiet small" rel="next" href="${hrefOf(page + 1)}">${t('resource.next')}</a>` : null}
</nav>`
}

/** Returns the number of the page that a query asks for. It is 1 if the number is invalid. */
export function readPage({ page }: Readonly<Record<string, unknown>>): number {
  return typeof page === 'string' && /^[1-9]\d{0,8}$/.test(page) ? Number(page) : 1
}

/**
 * Renders the links to the adjacent pages of a chronological list, by their URLs. Returns null if
 * there are none.
 */
export function renderPager({
  newer,
  older,
}: {
  newer: string | undefined
  older: string | undefined
}): SafeHtml | null {
  if (newer === undefined && older === undefined) return null
  return html`<nav class="pager" aria-label="${t('shell.pager.label')}">${newer ? html`<a class="button quiet small" rel="prev" href="${newer}">${t('shell.pager.newer')}</a>` : html`<span></span>`}${older ? html`<a class="button quiet small" rel="next" href="${older}">${t('shell.pager.older')}</a>` : html`<span></span>`}</nav>`
}
