import { html, type SafeHtml } from '@remix-run/html-template'
import { t } from '../../../texts.ts'
import { formatCount } from '../shell/format-count.ts'
import { renderIcon } from '../shell/icon.ts'
import type { Key } from '../shell/keys-help.ts'
import { type Frame, renderConsolePage } from '../shell/layout.ts'
import { renderChangeForm } from './change-form.ts'
import { type FilterChoices, renderFilterForm } from './filters.ts'
import { type LinkRow, renderLinkRow } from './row.ts'
import type { View } from './view.ts'

export type LinksPage = FilterChoices & {
  rows: readonly LinkRow[]
  /** The number of results, as far as they were counted. */
  total: number
  /** Whether there are more than `total` results. */
  hasMore: boolean
  /** If the search could not read all links in time: the URL that continues it. */
  continueUrl: string | undefined
  /** Whether the actions may apply to all results. */
  areAllOffered: boolean
  /** The URL of this view. */
  listUrl: string
  /** Returns the URL of this view with another tag. */
  urlWithTag: (tag: string) => string
  /** Returns the URL of this view in another order. */
  urlWithSort: (sort: View['sort']) => string
  /** The URLs of the adjacent pages, if they exist. */
  previousPage: string | undefined
  nextPage: string | undefined
  /** The number of the last page, as far as results were counted. */
  lastPage: number
  /** The confirmation of the last change. */
  notice?: string | undefined
  error?: string | undefined
}

/** Renders the links of an account as a table, or as cards on a phone, with filters and actions. */
export function renderLinksPage(frame: Frame, page: LinksPage): string {
  const { rows, total, isNarrowed, continueUrl, notice, error } = page
  return renderConsolePage(frame, {
    title: t('links.title'),
    section: '/console/links',
    keys: listPageKeys(),
    confirmation: notice,
    body: html`<div class="headline">
<h1>${t('links.title')}</h1>
<span class="share"><a class="button quiet small" href="/console/links/trash">${t('links.trash')}</a>
<a class="button small" href="/console/links/new">${t('links.create')}</a></span>
</div>
${error ? html`<p class="notice" role="alert">${error}</p>` : null}
${total > 0 || isNarrowed ? renderFilterForm(page) : null}
${continueUrl ? html`<p class="notice" role="status">${t('links.searchedPart')} <a href="${continueUrl}">${t('links.searchOlder')}</a></p>` : null}
<div data-list>${rows.length > 0 ? renderTable(frame, page) : error || continueUrl ? null : renderEmptyState(isNarrowed)}</div>`,
  })
}

function listPageKeys(): Key[] {
  return [
    ['/', t('links.keys.search')],
    ['J', t('links.keys.next')],
    ['K', t('links.keys.previous')],
    ['E', t('links.keys.edit')],
    ['Q', t('links.keys.code')],
    ['X', t('links.keys.select')],
  ]
}

function renderTable(frame: Frame, page: LinksPage): SafeHtml {
  const { rows } = page
  const maxDailyClicks = Math.max(0, ...rows.flatMap(({ dailyClicks }) => dailyClicks ?? []))
  return html`<section class="links" aria-label="${t('links.title')}">
<p class="small soft found">${formatCountLine(page)}</p>
<table class="cards">
<thead><tr><th scope="col" class="pick"><input type="checkbox" class="check" id="all" aria-label="${t('links.selectAll')}" hidden></th>${renderSortHead(page, ['alias', 'alias-descending'], t('links.heads.link'))}<th scope="col">${t('links.heads.destination')}</th><th scope="col">${t('links.heads.tags')}</th>${renderSortHead(page, ['clicks', 'least-clicked'], t('links.heads.clicks'), 'number')}<th scope="col">${t('links.heads.days')}</th><th scope="col">${t('links.heads.status')}</th>${renderSortHead(page, ['newest', 'oldest'], t('links.heads.created'), 'created')}<th scope="col"><span class="hidden-text">${t('links.heads.actions')}</span></th></tr></thead>
<tbody>${rows.map((row) => renderLinkRow(frame, { ...page, maxDailyClicks }, row))}</tbody>
</table>
${renderChangeForm(frame, page)}
</section>
${renderPager(page)}`
}

function formatCountLine({ total, hasMore, continueUrl, isNarrowed }: LinksPage): string {
  if (hasMore && !continueUrl) return t('links.moreResults', { n: total })
  return t(isNarrowed ? 'links.results' : 'links.count', { n: total })
}

/**
 * Renders a column header that sorts the list in its first order. If the list already has that order,
 * it sorts in the second one, which is the reverse.
 */
function renderSortHead(
  { view, urlWithSort }: LinksPage,
  [first, second]: readonly [View['sort'], View['sort']],
  name: string,
  className = '',
): SafeHtml {
  const { sort } = view
  const isSorted = sort === first || sort === second
  const isAscending = sort === 'alias' || sort === 'oldest' || sort === 'least-clicked'
  const arrow = html`<span aria-hidden="true"> ${isAscending ? '↑' : '↓'}</span>`
  return html`<th scope="col" class="${className}"${isSorted ? html` aria-sort="${isAscending ? 'ascending' : 'descending'}"` : null}><a class="sort" href="${urlWithSort(sort === first ? second : first)}" title="${t('links.sortBy', { column: name })}">${name}${isSorted ? arrow : null}</a></th>`
}

function renderPager({
  previousPage,
  nextPage,
  view,
  lastPage,
  hasMore,
  continueUrl,
}: LinksPage): SafeHtml | null {
  if (lastPage <= 1) return null
  const position = { page: formatCount(view.page), pages: formatCount(lastPage) }
  return html`<nav class="pager" aria-label="${t('links.pages')}">${previousPage ? html`<a class="button quiet small" rel="prev" href="${previousPage}">${t('links.previous')}</a>` : html`<span></span>`}<span class="small soft">${t(hasMore && !continueUrl ? 'links.pageOfMore' : 'links.pageOf', position)}</span>${nextPage ? html`<a class="button quiet small" rel="next" href="${nextPage}">${t('links.next')}</a>` : html`<span></span>`}</nav>`
}

function renderEmptyState(isNarrowed: boolean): SafeHtml {
  return isNarrowed
    ? html`<section class="panel blank"><h2>${t('links.noMatchTitle')}</h2>
<p class="soft">${t('links.noMatchText')}</p>
<p><a class="button quiet" href="/console/links">${t('links.clearFilters')}</a></p></section>`
    : html`<section class="panel blank links-empty">${renderIcon('link')}<h2>${t('links.emptyTitle')}</h2>
<p class="soft">${t('links.emptyText')}</p>
<p><a class="button" href="/console/links/new">${t('links.createFirst')}</a></p></section>`
}
