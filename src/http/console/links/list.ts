import { html, type SafeHtml } from '@remix-run/html-template'
import type { HostMatcher } from '../../../blocked-hosts/blocked-host.ts'
import type { LinkEntry } from '../../../links/link.ts'
import { hostOf } from '../../../pages/safe-url.ts'
import { copiedShortUrl, shortLinkText } from '../../../pages/short-link-text.ts'
import { t } from '../../../texts.ts'
import { renderPageLinks } from '../kit/pager.ts'
import {
  renderBlank,
  renderCopyButton,
  renderLink,
  renderNamedList,
  renderNotices,
} from '../kit/parts.ts'
import { renderSelectable } from '../kit/selection.ts'
import type { Page } from '../kit/subject.ts'
import type { Column } from '../kit/table.ts'
import { describeStatus } from '../link/status.ts'
import { formatCount, formatDay } from '../shell/format.ts'
import { renderAvatar, renderIcon } from '../shell/icon.ts'
import type { Frame } from '../shell/layout.ts'
import { renderActions, renderMenu } from './changes.ts'
import {
  buildUrl,
  CHANGE,
  type FilterChoices,
  isNarrowed,
  PATH,
  renderFilterForm,
  type View,
} from './view.ts'

export const PER_PAGE = 25
/** The size of the view box of a sparkline. */
const WIDTH = 90
const HEIGHT = 24

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
      ['E', t('links.keys.edit')],
      ['Q', t('links.keys.code')],
      ['X', t('links.keys.select')],
    ],
    body: (frame) => html`<div class="headline">
<h1>${t('links.title')}</h1>
<span class="share"><a class="button quiet small" href="${PATH}/trash">${t('links.trash')}</a>
${renderLink(frame, `${PATH}/new`, t('links.create'), { className: 'button small' })}</span>
</div>
${renderNotices({ error })}
${total > 0 || isNarrowed(view) ? renderFilterForm(view, choices) : null}
${olderUrl ? html`<p class="notice" role="status">${t('links.searchedPart')} <a href="${olderUrl}">${t('links.searchOlder')}</a></p>` : null}
<div data-list>${
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
  const { view, entries, dailyClicks, hosts, now, zone } = list
  const ofRows = entries.flatMap(({ id }) => dailyClicks?.get(id) ?? [])
  const maxDailyClicks = Math.max(0, ...ofRows)
  return [
    {
      ...sortable(view, ['alias', 'alias-descending'], t('links.heads.link')),
      className: 'what',
      cell: renderName,
    },
    {
      head: t('links.heads.destination'),
      className: 'target',
      cell: ({ url }) => html`<span class="cut" title="${url}"><bdi>${hostOf(url)}</bdi></span>`,
    },
    {
      head: t('links.heads.tags'),
      unlabeled: true,
      className: 'tag-cell',
      cell: ({ tags }) => renderTags(view, tags),
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
      cell: ({ id }) => renderSparkline(dailyClicks?.get(id), maxDailyClicks),
    },
    {
      head: t('links.heads.status'),
      unlabeled: true,
      className: 'state-cell',
      cell: (link) => {
        const shown = { ...link, hasPassword: false }
        const { state, label, reason } = describeStatus(shown, now, { hosts, zone })
        return html`<span class="status ${state}">${label}</span>${link.archivedAt ? html` <span class="small soft">${t('links.archived')}</span>` : null}${reason ? html` <span class="soft reason cut" dir="auto" title="${reason}">${reason}</span>` : null}`
      },
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

function renderName({ id, shortUrl, url, metaTitle }: LinkEntry): SafeHtml {
  const link = shortLinkText(shortUrl)
  const title = metaTitle ?? hostOf(url)
  return html`<div class="what-in">${renderAvatar(title)}<div class="names">
<a class="title" id="link-${id}" data-main href="${PATH}/${id}" dir="auto">${title}</a>
<span class="copyable"><span class="address" id="short-${id}" data-text="${copiedShortUrl(shortUrl)}"><bdi>${link}</bdi></span>${renderCopyButton(`short-${id}`, 'copy', t('links.copyLink', { link }))}</span></div></div>`
}

function renderTags(view: View, tags: readonly string[]): SafeHtml | null {
  if (tags.length === 0) return null
  const items = tags.map(
    (tag) => html`<a href="${buildUrl({ ...view, tag, page: 1 })}" dir="auto">${tag}</a>`,
  )
  return renderNamedList(t('links.heads.tags'), items, 'tags')
}

/**
 * Renders clicks per day as a small line without axes. All lines of the list are scaled to
 * `maxDailyClicks`, the highest number of clicks on one day.
 */
function renderSparkline(
  dailyClicks: readonly number[] | undefined,
  maxDailyClicks: number,
): SafeHtml {
  if (!dailyClicks) return html`<span class="small soft">${t('links.unavailable')}</span>`
  const total = dailyClicks.reduce((sum, clicks) => sum + clicks, 0)
  const points = dailyClicks.map((clicks, index) => {
    const x = (index / Math.max(1, dailyClicks.length - 1)) * WIDTH
    // One unit above and below keeps the stroke inside the box.
    const y = HEIGHT - 1 - (clicks / Math.max(1, maxDailyClicks)) * (HEIGHT - 2)
    return [x, y].map((value) => Math.round(value * 10) / 10).join(',')
  })
  return html`<svg class="spark${total === 0 ? ' none' : null}" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img"><title>${t('links.clicksInDays', { n: total })}</title><polyline points="${points.join(' ')}"/></svg>`
}
