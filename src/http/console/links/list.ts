import { html, type SafeHtml } from '@remix-run/html-template'
import type { HostMatcher } from '../../../blocked-hosts/blocked-host.ts'
import type { LinkEntry } from '../../../links/link.ts'
import { hostOf } from '../../../pages/safe-url.ts'
import { shortLinkText } from '../../../pages/short-link-text.ts'
import { t } from '../../../texts.ts'
import { withScript } from '../assets.ts'
import { type Mark, renderDestination, renderLinkName } from '../kit/link-name.ts'
import { renderPageLinks } from '../kit/pager.ts'
import { renderBlank, renderLink, renderNamedList, renderNotices } from '../kit/parts.ts'
import { renderSelectable } from '../kit/selection.ts'
import type { Page } from '../kit/subject.ts'
import type { Column } from '../kit/table.ts'
import { describeStatus, type LinkStatusText } from '../link/status.ts'
import { formatCount, formatDay } from '../shell/format.ts'
import { renderAvatar, renderIcon } from '../shell/icon.ts'
import type { Frame } from '../shell/layout.ts'
import { renderActions, renderMenu } from './changes.ts'
import { createMark, hasMatch } from './mark.ts'
import { renderSparkline } from './sparkline.ts'
import {
  buildUrl,
  CHANGE,
  type FilterChoices,
  isNarrowed,
  PATH,
  renderFilterForm,
  renderFilterPills,
  type View,
} from './view.ts'

export const PER_PAGE = 25
/** The number of characters of tags that a row shows. The rest opens on demand. */
const TAG_SPACE = 24
/** The form of a link, which opens only for those who may change links. */
const EDIT = `${PATH}/0/edit`
/** The space between tags, in characters. */
const TAG_GAP = 3

type LinkList = {
  view: View
  entries: readonly LinkEntry[]
  /** The number of results, as far as they were counted. */
  total: number
  /** Whether there are more than `total` results. */
  hasMore: boolean
  /** The last link that was read, if the search could not read all of them in time. */
  readTo: number | undefined
  /** Whether the actions may apply to all results. */
  areAllOffered: boolean
  choices: FilterChoices
  /** The clicks of the last 30 days by link. Undefined while statistics are unavailable. */
  dailyClicks: ReadonlyMap<number, readonly number[]> | undefined
  hosts: Pick<HostMatcher, 'blocksDestination'>
  now: Date
  zone: string
  error: string | undefined
}

/** Renders the links of an account, with filters and actions. `confirmation` is of the last change. */
export function renderList(list: LinkList, confirmation: string | undefined): Page {
  const { view, entries, total, readTo, choices, error } = list
  const olderUrl = readTo && buildUrl({ ...view, after: String(readTo), page: 1 })
  const hasMore = list.hasMore && readTo === undefined
  const hrefOf = (page: number) => buildUrl({ ...view, page })
  const isEmpty = entries.length === 0
  return {
    title: t('links.title'),
    confirmation,
    ...(error !== undefined && { status: 422 }),
    keys: [
      ['/', t('links.keys.search')],
      ['J', t('links.keys.next')],
      ['K', t('links.keys.previous')],
      ['E', t('links.keys.edit'), EDIT],
      ['Q', t('links.keys.code')],
      ['X', t('links.keys.select'), EDIT],
    ],
    body: (frame) => html`<div class="head">
<h1>${t('links.title')}</h1>
<span class="actions"><a class="button quiet small" href="${PATH}/trash">${t('links.trash')}</a>
${renderLink(frame, `${PATH}/new`, t('links.create'), { className: 'button small' })}</span>
</div>
${renderNotices({ error })}
${total > 0 || isNarrowed(view) ? renderFilterForm(view, choices) : null}
${olderUrl ? html`<p class="notice" role="status">${t('links.searchedPart')} <a href="${olderUrl}">${t('links.searchOlder')}</a></p>` : null}
<div data-list${withScript('ask')}>${renderFilterPills(view, choices)}${
      isEmpty
        ? null
        : html`${renderLinks(frame, list)}
${renderPageLinks({ page: view.page, limit: PER_PAGE, total, hasMore, hrefOf })}`
    }${isEmpty && !error && !olderUrl ? renderEmptyState(frame, view) : null}</div>`,
  }
}

function renderEmptyState(frame: Frame, view: View): SafeHtml {
  if (isNarrowed(view)) {
    return renderBlank(
      t('links.noMatchTitle'),
      t('links.noMatchText'),
      html`<a class="button quiet" href="${PATH}">${t('links.clearFilters')}</a>`,
    )
  }
  return renderBlank(
    t('links.emptyTitle'),
    t('links.emptyText'),
    renderLink(frame, `${PATH}/new`, t('links.createFirst'), { className: 'button' }),
    renderIcon('link'),
  )
}

function renderLinks(frame: Frame, list: LinkList): SafeHtml {
  const { view, entries, total, readTo } = list
  const count = t(isNarrowed(view) ? 'links.results' : 'links.count', { n: total })
  const all = list.hasMore ? t('links.allOfMoreResults') : t('links.allResults', { n: total })
  return renderSelectable(frame, {
    label: t('links.title'),
    className: 'links',
    count: list.hasMore && readTo === undefined ? t('links.moreResults', { n: total }) : count,
    rows: entries,
    columns: listColumns(frame, list),
    form: {
      action: CHANGE,
      label: t('links.bulk'),
      none: t('links.noneSelectedYet'),
      some: t('links.selected'),
      all: t('links.selectAll'),
      one: ({ shortUrl }) => t('links.select', { link: shortLinkText(shortUrl) }),
      allResults: list.areAllOffered ? all : undefined,
      content: renderActions(view, list.choices),
    },
  })
}

function listColumns(frame: Frame, list: LinkList): Column<LinkEntry>[] {
  const { view, dailyClicks, hosts, now, zone } = list
  const mark = createMark(view.q)
  return [
    {
      ...sortable(view, ['alias', 'alias-descending'], t('links.heads.link')),
      className: 'what',
      cell: (link) =>
        renderName(
          link,
          mark,
          describeStatus({ ...link, hasPassword: false }, now, { hosts, zone }),
        ),
    },
    {
      head: t('links.heads.destination'),
      unlabeled: true,
      className: 'target',
      cell: ({ url }) => renderDestination(url, mark),
    },
    {
      head: t('links.heads.tags'),
      unlabeled: true,
      className: 'tag-cell',
      cell: (link) => renderTags(view, mark, link),
    },
    {
      ...sortable(view, ['clicks', 'least-clicked'], t('links.heads.clicks')),
      isNumber: true,
      cell: ({ clicks }) => formatCount(clicks),
    },
    {
      head: t('links.heads.days'),
      unlabeled: true,
      className: 'spark-cell',
      cell: ({ id }) => renderSparkline(dailyClicks?.get(id)),
    },
    {
      ...sortable(view, ['newest', 'oldest'], t('links.heads.created')),
      unlabeled: true,
      className: 'created soft',
      cell: ({ createdAt }) =>
        html`<time datetime="${createdAt.toISOString()}">${formatDay(createdAt, now, zone)}</time>`,
    },
    {
      head: t('links.heads.actions'),
      hidden: true,
      className: 'row-end',
      cell: (link) => renderMenu(frame, link, buildUrl(view)),
    },
  ]
}

/**
 * Returns the head of a column that sorts the list in its first order. If the list already has that
 * order, it sorts in the second one, which is the reverse.
 */
function sortable(
  view: View,
  [first, second]: readonly [View['sort'], View['sort']],
  head: string,
): Pick<Column<LinkEntry>, 'head' | 'sort'> {
  const { sort } = view
  const isSorted = sort === first || sort === second
  const isAscending = sort === 'alias' || sort === 'oldest' || sort === 'least-clicked'
  const href = buildUrl({ ...view, sort: sort === first ? second : first, page: 1 })
  const title = t('links.sortBy', { column: head })
  const order = isAscending ? 'ascending' : 'descending'
  return { head, sort: { href, title, order: isSorted ? order : undefined } }
}

/** Renders the name of a link, with its status if it is not active. */
function renderName(
  link: LinkEntry,
  mark: Mark,
  { state, label, reason }: LinkStatusText,
): SafeHtml {
  const { id, url, metaTitle, archivedAt } = link
  return html`<div class="what-in">${renderAvatar(metaTitle ?? hostOf(url))}${renderLinkName(link, {
    href: `${PATH}/${id}`,
    copyId: `short-${id}`,
    attributes: html` id="link-${id}" data-main dir="auto"`,
    mark,
    beside: html`${state === 'active' ? null : html`<span class="chip ${state}">${label}</span>`}${archivedAt ? html`<span class="chip">${t('links.archived')}</span>` : null}`,
    below: reason
      ? html`<span class="why cut" dir="auto" title="${reason}">${reason}</span>`
      : null,
  })}</div>`
}

/** Renders as many tags as fit, those that were searched for first. The others open on demand. */
function renderTags(view: View, mark: Mark, { shortUrl, tags }: LinkEntry): SafeHtml | null {
  if (tags.length === 0) return null
  const sorted = tags.toSorted((a, b) => Number(hasMatch(mark, b)) - Number(hasMatch(mark, a)))
  const ends = sorted.map(
    (_, index) => sorted.slice(0, index + 1).join('').length + TAG_GAP * index,
  )
  const count = ends.filter((end) => end <= TAG_SPACE).length
  const renderList = (some: readonly string[]) =>
    renderNamedList(
      t('links.heads.tags'),
      some.map(
        (tag) => html`<a href="${buildUrl({ ...view, tag, page: 1 })}" dir="auto">${mark(tag)}</a>`,
      ),
      'tags',
    )
  const rest = sorted.slice(count)
  return html`<div class="tag-line">${count > 0 ? renderList(sorted.slice(0, count)) : null}${
    rest.length === 0
      ? null
      : html`<details class="row-menu" name="row-menu"><summary><span aria-hidden="true">+${rest.length}</span><span class="hidden-text">${t('links.moreTags', { n: rest.length, link: shortLinkText(shortUrl) })}</span></summary>
<div class="row-items">${renderList(rest)}</div></details>`
  }</div>`
}
