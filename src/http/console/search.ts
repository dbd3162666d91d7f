import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { getLink } from '../../links/link.service.ts'
import type { Link, LinkEntry } from '../../links/link.ts'
import { listLinks } from '../../links/link-list.service.ts'
import { copiedShortUrl } from '../../pages/short-link-text.ts'
import { findCodeOfLink } from '../../qr/qr.service.ts'
import type { Scope } from '../../scope.ts'
import { t } from '../../texts.ts'
import { renderHidden, renderSearchBox } from './kit/fields.ts'
import { linkNameText, type Mark, renderDestination, renderLinkName } from './kit/link-name.ts'
import { renderButtonForm, renderLink } from './kit/parts.ts'
import { buildPath, readText } from './kit/query.ts'
import { defineSubject } from './kit/subject.ts'
import { createMark, hasMatch } from './links/mark.ts'
import type { Frame } from './shell/layout.ts'
import { findSections, matchesWords } from './shell/navigation.ts'

const PATH = '/console/search'
/** The maximum number of links in the results. */
const MAX_LINKS = 8
/** The id of the current link's name. */
const CURRENT = 'current-link'

type FoundPage = { name: string; path: string }

/** The link whose page is open, and the URL of its QR code. */
type CurrentLink = { link: Link; codeUrl: string }

/** Registers the search for links and sections of the console. `palette.js` shows it as a dialog. */
export function registerSearchRoute(app: FastifyInstance, _ctx: HttpContext): void {
  const { page } = defineSubject(app, PATH)

  page('/search', 'viewer', async ({ scope, query }) => {
    const search = readText(query, 'q')
    const at = readText(query, 'at')
    const current = await findCurrentLink(scope, at)
    const { entries, total } = await searchLinks(scope, search, MAX_LINKS)
    return {
      title: t('search.title'),
      body: (frame) => {
        const pages = listPages(frame, search)
        const actions = current ? listActions(frame, current, search) : []
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
${current ? renderHidden({ at }) : null}
</form>
<div data-results>${entries.length + pages.length + actions.length > 0 ? [current && renderActions(current, actions), renderLinks(entries, total, search), renderPages(pages)] : renderEmptyState()}</div>
</div>`
      },
    }
  })
}

/** Returns the link at the path of one of its pages, or undefined if there is none. */
async function findCurrentLink(
  scope: Scope<HttpContext>,
  path: string,
): Promise<CurrentLink | undefined> {
  const [, id] = /^\/console\/links\/([1-9]\d{0,14})(?:\/|$)/.exec(path) ?? []
  if (!id) return undefined
  try {
    const [link, code] = await Promise.all([
      getLink(scope, Number(id)),
      findCodeOfLink(scope, Number(id)),
    ])
    return { link, codeUrl: code ? `/qr/${code.alias}.png` : `/console/links/${id}/qr.png` }
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error
    return undefined
  }
}

/** Returns the actions on a link that match the search, and that the user's role allows. */
function listActions(frame: Frame, { link, codeUrl }: CurrentLink, search: string): SafeHtml[] {
  const { id, status, block } = link
  const path = `/console/links/${id}`
  const toggle = status === 'disabled' ? 'enable' : 'disable'
  const renderAction = (action: string, text: string, fields = {}) =>
    renderButtonForm(frame, { action, text, className: 'menu-button', fields })
  const actions = [
    [
      t('link.copyLink'),
      (text: string) =>
        html`<button class="menu-button" type="button" data-copy="${CURRENT}">${text}</button>`,
    ],
    [t('search.downloadCode'), (text: string) => html`<a href="${codeUrl}" download>${text}</a>`],
    [t('link.edit'), (text: string) => renderLink(frame, `${path}/edit`, text)],
    [
      t(`link.${toggle}`),
      (text: string) => (block ? null : renderAction(`${path}/${toggle}`, text)),
    ],
    [
      t('link.delete'),
      (text: string) =>
        renderAction('/console/links/change', text, { action: 'delete', id: String(id) }),
    ],
  ] as const
  return actions.flatMap(([text, render]) =>
    matchesWords(text, search) ? (render(text) ?? []) : [],
  )
}

function renderActions({ link }: CurrentLink, actions: readonly SafeHtml[]): SafeHtml | null {
  if (actions.length === 0) return null
  return html`<h2 class="eyebrow"><bdi id="${CURRENT}" data-text="${copiedShortUrl(link.shortUrl)}">${linkNameText(link)}</bdi></h2>
<ul class="results">${actions.map((action) => html`<li>${action}</li>`)}</ul>`
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
      html`<li><a href="/console/links/${link.id}">${renderLinkName(link, { mark, beside: renderFoundTags(link, mark) })}${renderDestination(link.url, mark)}</a></li>`,
  )}${total > links.length ? html`<li><a href="${all}">${t('search.allLinks')}</a></li>` : null}</ul>`
}

/** Renders the tags of a link that match the search. */
function renderFoundTags({ tags }: LinkEntry, mark: Mark): SafeHtml {
  const found = tags.filter((tag) => hasMatch(mark, tag))
  return html`${found.map((tag) => html`<span class="chip"><bdi>${mark(tag)}</bdi></span>`)}`
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
