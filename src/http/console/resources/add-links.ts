import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance } from 'fastify'
import type { AppError } from '../../../errors.ts'
import type { LinkEntry } from '../../../links/link.ts'
import { findByShortLink, readLinkNames } from '../../../links/link-list.service.ts'
import { shortLinkText } from '../../../pages/short-link-text.ts'
import { t } from '../../../texts.ts'
import { withScript } from '../assets.ts'
import { renderSearchBox } from '../kit/fields.ts'
import { type Mark, type NamedLink, renderDestination, renderLinkName } from '../kit/link-name.ts'
import { renderNotices } from '../kit/parts.ts'
import { readText } from '../kit/query.ts'
import { readSelectedIds, renderPick } from '../kit/selection.ts'
import { type ConsoleRequest, defineSubject, idOf, type Page } from '../kit/subject.ts'
import { renderTable } from '../kit/table.ts'
import { createMark } from '../links/mark.ts'
import { searchLinks } from '../search.ts'
import { describeLabeledError } from '../shell/describe-error.ts'
import { renderIcon } from '../shell/icon.ts'
import type { Frame } from '../shell/layout.ts'
import type { ConsoleScope } from './list.ts'

/** The maximum number of links that were selected before another search. */
const MAX_SELECTED = 50
const MAX_FOUND = 20

/** A campaign or channel to which links can be added. */
export type LinkGroup = {
  kind: 'campaign' | 'channel'
  /** @throws AppError `not_found` */
  get: (scope: ConsoleScope, id: number) => Promise<{ id: number; name: string }>
  getLinkIds: (scope: ConsoleScope, id: number) => Promise<number[]>
  addLink: (scope: ConsoleScope, id: number, linkId: number) => Promise<unknown>
}

type Row = NamedLink & {
  id: number
  url?: string
  state: keyof typeof ATTRIBUTES
}

/**
 * Registers the page that adds links to a group: a search whose results can be selected. Selected links
 * stay selected when the user searches again. A script updates the results while the user types.
 */
export function registerLinkPicker(app: FastifyInstance, group: LinkGroup): void {
  const { kind, get, getLinkIds, addLink } = group
  const section = `/console/${kind}s` as const
  const { page, action } = defineSubject(app, section)

  page(`/${kind}s/:id/add`, 'editor', (request) => render(request))
  action(
    `/${kind}s/:id/links`,
    'editor',
    async (request) => {
      const { scope } = request
      const { id } = await get(scope, idOf(request))
      for (const linkId of readSelectedIds(request.body)) await addLink(scope, id, linkId)
      return { to: `${section}/${id}#items`, toast: 'added' }
    },
    async (request, rejection) => {
      if (rejection.code === 'not_found') throw rejection
      return render(request, rejection)
    },
  )

  async function render(request: ConsoleRequest, rejection?: AppError): Promise<Page> {
    const { scope, query } = request
    const { id, name } = await get(scope, idOf(request))
    const path = `${section}/${id}`
    const search = readText(query, 'q')
    const rows = await readRows(scope, search, readIds(query.id), await getLinkIds(scope, id))
    return {
      title: t('resource.addLinksTo', { name }),
      body: (frame) => html`<p class="eyebrow"><a href="${path}"><bdi>${name}</bdi></a></p>
<h1>${t('resource.addLinks')}</h1>
${renderNotices({ error: rejection && describeLabeledError(rejection) })}
${renderSearch(`${path}/add`, search)}
<div data-list>${
        rows.length > 0
          ? renderRows(rows, createMark(search))
          : html`<p class="inset found">${t('search.empty')}</p>`
      }
<p class="actions"><button class="button" form="filters" formmethod="post" formaction="${path}/links" name="csrf" value="${frame.csrf}">${t('resource.addSelected')}</button>
<a class="button quiet" href="${path}">${t('resource.cancel')}</a></p></div>`,
    }
  }
}

const ATTRIBUTES = { found: null, selected: html` checked`, added: html` checked disabled` }

/**
 * Renders the search of the page that adds links for the page of a group, whose results a script shows
 * there. Renders nothing if the user's role does not allow it.
 */
export function renderLinkSearch(frame: Frame, path: string): SafeHtml | null {
  if (!frame.may('GET', `${path}/add`)) return null
  return html`${renderSearch(`${path}/add`)}
<div data-list></div>`
}

/** `search` is what was searched for on the page that adds links. */
function renderSearch(path: string, search?: string): SafeHtml {
  const label = t('resource.findLinks')
  return html`<form class="filters" id="filters"${withScript('filters')} method="get" action="${path}" role="search">
<div class="filter-text">${renderIcon('search')}${renderSearchBox({
    name: 'q',
    label,
    value: search ?? '',
    placeholder: label,
    autofocus: search !== undefined,
  })}</div>
<button class="button quiet small" data-apply>${t('search.submit')}</button>
</form>`
}

function renderRows(rows: readonly Row[], mark: Mark): SafeHtml {
  const label = t('resource.addLinks')
  return html`<section class="links" aria-label="${label}">
<p class="small soft found">${t('links.results', { n: rows.length })}</p>
${renderTable(
  rows,
  [
    {
      head: t('resource.addSelected'),
      hidden: true,
      className: 'pick',
      cell: ({ id, shortUrl, state }) => {
        const name = t('links.select', { link: shortLinkText(shortUrl) })
        return renderPick('filters', id, name, ATTRIBUTES[state])
      },
    },
    {
      head: t('links.heads.link'),
      className: 'what',
      cell: (row) => renderLinkName(row, { mark, beside: renderState(row.state) }),
    },
    {
      head: t('links.heads.destination'),
      className: 'target',
      cell: ({ url }) => (url ? renderDestination(url, mark) : null),
    },
  ],
  { label },
)}
</section>`
}

function renderState(state: Row['state']): SafeHtml | null {
  return state === 'added' ? html`<span class="chip">${t('resource.isAdded')}</span>` : null
}

/** Returns the selected links, the link that the search names, and the newest ones that match it. */
async function readRows(
  scope: ConsoleScope,
  search: string,
  selected: readonly number[],
  members: readonly number[],
): Promise<Row[]> {
  const [names, named, found] = await Promise.all([
    readLinkNames(scope, selected),
    search === '' ? undefined : findByShortLink(scope, search),
    searchLinks(scope, search, MAX_FOUND),
  ])
  const added = new Set(members)
  const matches = new Map<number, LinkEntry | NonNullable<typeof named>>()
  for (const link of [...(named ? [named] : []), ...found.entries]) matches.set(link.id, link)
  return [
    ...[...names].map(([id, name]) => ({ ...name, id, state: 'selected' as const })),
    ...[...matches.values()]
      .filter(({ id }) => !names.has(id))
      .map(({ id, url, shortUrl, metaTitle }) => {
        const state = added.has(id) ? ('added' as const) : ('found' as const)
        return { id, url, shortUrl, metaTitle, state }
      }),
  ]
}

function readIds(value: unknown): number[] {
  const ids = [value ?? []].flat().map(Number)
  const valid = ids.filter((id) => Number.isSafeInteger(id) && id > 0)
  return [...new Set(valid)].slice(0, MAX_SELECTED)
}
