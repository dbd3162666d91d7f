import { html, type SafeHtml } from '@remix-run/html-template'
import { shortLinkText } from '../../../pages/short-link-text.ts'
import { t } from '../../../texts.ts'
import { type Frame, renderConsolePage } from '../shell/layout.ts'

export type FoundLink = { id: number; title: string; shortUrl: string }

export type SearchPage = {
  /** The search text. */
  query: string
  links: readonly FoundLink[]
  /** The URL of the full list, if there are more matching links. */
  allLinksUrl: string | undefined
  sections: readonly { name: string; path: string }[]
}

/** Renders the search with its results. `palette.js` shows it as a dialog on any page. */
export function renderSearchPage(frame: Frame, results: SearchPage): string {
  return renderConsolePage(frame, {
    title: t('search.title'),
    section: '/console/search',
    body: html`<h1>${t('search.title')}</h1>
<div class="palette" data-search>
<form method="get" action="/console/search" role="search">
<label class="hidden-text" for="search">${t('search.label')}</label>
<input type="search" id="search" name="q" value="${results.query}" maxlength="500" autocomplete="off" dir="auto" autofocus placeholder="${t('search.placeholder')}">
<button class="button small">${t('search.submit')}</button>
</form>
<div data-results>${renderResults(results)}</div>
</div>`,
  })
}

function renderResults({ query, links, allLinksUrl, sections }: SearchPage): SafeHtml {
  if (links.length === 0 && sections.length === 0) {
    return html`<p class="results-empty"><strong>${t('search.empty')}</strong> <span class="soft">${t('search.emptyText')}</span></p>`
  }
  return html`${
    links.length > 0
      ? html`<h2 class="eyebrow">${t('search.links')}</h2>
<ul class="results">${links.map(renderLinkItem)}${
          allLinksUrl ? html`<li><a href="${allLinksUrl}">${t('search.allLinks')}</a></li>` : null
        }</ul>`
      : null
  }${
    sections.length > 0
      ? html`<h2 class="eyebrow">${t('search.sections')}</h2>
<ul class="results">${query === '' ? html`<li><a href="/console/links/new">${t('search.createLink')}</a></li>` : null}${sections.map(({ name, path }) => html`<li><a href="${path}">${name}</a></li>`)}</ul>`
      : null
  }`
}

function renderLinkItem({ id, title, shortUrl }: FoundLink): SafeHtml {
  return html`<li><a href="/console/links/${id}"><span class="result-title" dir="auto">${title}</span> <span class="soft address"><bdi>${shortLinkText(shortUrl)}</bdi></span></a></li>`
}
