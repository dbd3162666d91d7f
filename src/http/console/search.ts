import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../../context.ts'
import { AppError } from '../../errors.ts'
import type { LinkEntry } from '../../links/link.ts'
import { listLinks } from '../../links/link-list.service.ts'
import type { Scope } from '../../scope.ts'
import { t } from '../../texts.ts'
import { renderSearchBox } from './kit/fields.ts'
import { renderDestination, renderLinkName } from './kit/link-name.ts'
import { buildPath, readText } from './kit/query.ts'
import { defineSubject } from './kit/subject.ts'
import { createMark } from './links/mark.ts'
import type { Frame } from './shell/layout.ts'
import { findSections } from './shell/navigation.ts'

const PATH = '/console/search'
/** The maximum number of links in the results. */
const MAX_LINKS = 8

type FoundPage = { name: string; path: string }

/** Registers the search for links and sections of the console. `palette.js` shows it as a dialog. */
export function registerSearchRoute(app: FastifyInstance, _ctx: HttpContext): void {
  const { page } = defineSubject(app, PATH)

  page('/search', 'viewer', async ({ scope, query }) => {
    const search = readText(query, 'q')
    const { entries, total } = await searchLinks(scope, search, MAX_LINKS)
    return {
      title: t('search.title'),
      body: (frame) => {
        const pages = listPages(frame, search)
        return html`<h1>${t('search.title')}</h1>
<div class="palette" data-search>
<form method="get" action="${PATH}" role="search">
${renderSearchBox({
  name: 'q',
  id: 'search',
  label: t('search.label'),
  value: search,
  placeholder: t('search.placeholder'),
  autofocus: true,
})}
<button class="button small">${t('search.submit')}</button>
</form>
<div data-results>${entries.length + pages.length > 0 ? [renderLinks(entries, total, search), renderPages(pages)] : renderEmptyState()}</div>
</div>`
      },
    }
  })
}

/** Returns the newest links that match a search, or none for an invalid search text. */
export async function searchLinks(scope: Scope<HttpContext>, search: string, limit: number) {
  try {
    const page = { order: 'date', limit, offset: 0, limitCount: true } as const
    return await listLinks(scope, { ...page, filter: { search } })
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'invalid_input') throw error
    return { entries: [], total: 0 }
  }
}

function renderLinks(links: readonly LinkEntry[], total: number, search: string) {
  if (links.length === 0) return null
  const mark = createMark(search)
  const all = buildPath('/console/links', { q: search })
  return html`<h2 class="eyebrow">${t('search.links')}</h2>
<ul class="results">${links.map(
    (link) =>
      html`<li><a href="/console/links/${link.id}">${renderLinkName(link, { mark })}${renderDestination(link.url, mark)}</a></li>`,
  )}${total > links.length ? html`<li><a href="${all}">${t('search.allLinks')}</a></li>` : null}</ul>`
}

/** Returns the pages that match the search, and that the user's role may open. */
function listPages(frame: Frame, search: string): FoundPage[] {
  const create = { name: t('search.createLink'), path: '/console/links/new' }
  const pages = [...(search === '' ? [create] : []), ...findSections(search, frame.isAdmin)]
  return pages.filter(({ path }) => frame.may('GET', path))
}

function renderPages(pages: readonly FoundPage[]): SafeHtml | null {
  if (pages.length === 0) return null
  return html`<h2 class="eyebrow">${t('search.sections')}</h2>
<ul class="results">${pages.map(({ name, path }) => html`<li><a href="${path}">${name}</a></li>`)}</ul>`
}

function renderEmptyState(): SafeHtml {
  return html`<p class="results-empty"><strong>${t('search.empty')}</strong> <span class="soft">${t('search.emptyText')}</span></p>`
}
