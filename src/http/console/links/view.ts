import { html, type SafeHtml } from '@remix-run/html-template'
import { LINK_STATES, type LinkFilter } from '../../../links/link-filter.ts'
import type { LinkListQuery } from '../../../links/link-list.service.ts'
import { hostText } from '../../../pages/short-link-text.ts'
import { t, tAll } from '../../../texts.ts'
import { withScript } from '../assets.ts'
import {
  type Choice,
  listChoices,
  renderControl,
  renderField,
  renderSearchBox,
} from '../kit/fields.ts'
import { renderDropdown, renderPills } from '../kit/menu.ts'
import { readPage } from '../kit/pager.ts'
import { readText } from '../kit/query.ts'
import { formatDate } from '../shell/format.ts'
import { renderIcon } from '../shell/icon.ts'

export const PATH = '/console/links'
/** The form of all changes. */
export const CHANGE = `${PATH}/change`
/** The values of the status filter. */
const STATES = [...LINK_STATES, 'archived'] as const
/** The orders of the list, by their names in its URL. */
export const ORDERS = {
  newest: 'date',
  oldest: 'oldest',
  clicks: 'click',
  'least-clicked': 'least-clicked',
  alias: 'alias',
  'alias-descending': 'alias-descending',
} as const satisfies Record<string, LinkListQuery['order']>
const SORTS = Object.keys(ORDERS) as (keyof typeof ORDERS)[]
const FILTERS = ['tag', 'status', 'domain', 'campaign', 'from', 'to', 'clicks'] as const
const FILTER_NAMES = {
  tag: 'links.tag',
  status: 'links.status',
  domain: 'links.domain',
  campaign: 'links.campaign',
  from: 'links.createdFrom',
  to: 'links.createdTo',
  clicks: 'links.clicksFilter',
} as const satisfies Record<(typeof FILTERS)[number], string>
const DAY_MS = 24 * 60 * 60 * 1000

/** The search, filters, order and page of the list, as in its URL. Unset filters are empty. */
export type View = ReturnType<typeof readView>

/** Reads the view from the query of a URL. Replaces invalid values with the defaults. */
export function readView(query: Readonly<Record<string, unknown>>) {
  const read = (name: string) => readText(query, name)
  return {
    q: read('q'),
    tag: read('tag'),
    status: STATES.find((state) => state === read('status')) ?? ('' as const),
    // The ids of a branded domain and of a campaign.
    domain: parseId(read('domain')),
    campaign: parseId(read('campaign')),
    // The first and last day of creation in ISO format, in UTC.
    from: parseDay(read('from')),
    to: parseDay(read('to')),
    clicks: read('clicks') === 'none' ? 'none' : '',
    // The id before which a search of many links continues.
    after: parseId(read('after')),
    sort: SORTS.find((sort) => sort === read('sort')) ?? 'newest',
    page: readPage(query),
  }
}

/** Returns the URL of a view, without default values and with additional parameters. */
export function buildUrl(view: View, parameters: Readonly<Record<string, string>> = {}): string {
  const { q, after, sort, page } = view
  const query = new URLSearchParams({
    ...(q && { q }),
    ...Object.fromEntries(FILTERS.flatMap((name) => (view[name] ? [[name, view[name]]] : []))),
    ...(after && { after }),
    ...(sort !== 'newest' && { sort }),
    ...(page > 1 && { page: String(page) }),
    ...parameters,
  })
  return query.size > 0 ? `${PATH}?${query}` : PATH
}

/** Returns the view of a URL of the list. Without a query, it is the whole list. */
export function parseListUrl(listUrl: string): View {
  return readView(Object.fromEntries(new URLSearchParams(listUrl.split('?')[1] ?? '')))
}

/** Returns whether the search or a filter is set. */
export function isNarrowed(view: View): boolean {
  return [view.q, view.after, ...FILTERS.map((name) => view[name])].some((value) => value !== '')
}

/** Converts a view to the filter of the service. */
export function toLinkFilter(view: View): LinkFilter {
  const { q, tag, status, domain, campaign, from, to, clicks, after } = view
  return {
    search: q,
    tag,
    state: status === '' || status === 'archived' ? undefined : status,
    archived: status === 'archived',
    domainId: domain === '' ? undefined : Number(domain),
    campaignId: campaign === '' ? undefined : Number(campaign),
    createdFrom: from === '' ? undefined : new Date(from),
    createdBefore: to === '' ? undefined : new Date(Date.parse(to) + DAY_MS),
    neverClicked: clicks === 'none',
    beforeId: after === '' ? undefined : Number(after),
  }
}

function parseId(text: string): string {
  return /^[1-9]\d{0,14}$/.test(text) ? text : ''
}

/** Returns the text if it is a valid calendar date, otherwise an empty string. */
function parseDay(text: string): string {
  const day = /^[12]\d{3}-\d\d-\d\d$/.test(text) ? new Date(text) : undefined
  return day && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text) ? text : ''
}

export type FilterChoices = {
  tags: readonly string[]
  domains: readonly { id: number; host: string }[]
  campaigns: readonly { id: number; name: string }[]
  /** Whether links can be broken. */
  broken: boolean
}

/** Renders the search, the filters and the order of the list. A script applies changes immediately. */
export function renderFilterForm(view: View, choices: FilterChoices): SafeHtml {
  const { q, sort } = view
  const [label, placeholder] = [t('links.search'), t('links.searchPlaceholder')]
  const sorts = listChoices(tAll('links.sorts'))
  return html`<form class="filters" id="filters"${withScript('filters')} method="get" action="${PATH}" role="search">
<div class="filter-text">${renderIcon('search')}${renderSearchBox({ name: 'q', label, value: q, placeholder })}</div>
${renderDropdown(t('links.filters'), renderFilterFields(view, choices))}
${renderControl({ type: 'select', name: 'sort', ariaLabel: t('links.sort'), value: sort, choices: sorts })}
<button class="button quiet small" data-apply>${t('links.apply')}</button>
</form>`
}

function renderFilterFields(view: View, choices: FilterChoices): SafeHtml {
  const { tag, status, domain, campaign, clicks, from, to } = view
  const { tags, domains, campaigns } = choices
  const hosts = domains.map(({ id, host }) => ({ value: String(id), label: hostText(host) }))
  const names = campaigns.map(({ id, name }) => ({ value: String(id), label: name }))
  const never = [{ value: 'none', label: t('links.neverClicked') }]
  return html`<div class="filter-fields">
${tags.length > 0 || tag ? renderTagFilter(tag, tags) : null}
${renderFilter('status', t('links.status'), status, listChoices(listStatuses(view, choices)))}
${hosts.length > 0 ? renderFilter('domain', t('links.domain'), domain, hosts) : null}
${names.length > 0 ? renderFilter('campaign', t('links.campaign'), campaign, names) : null}
${renderFilter('clicks', t('links.clicksFilter'), clicks, never)}
${renderField({ type: 'date', name: 'from', label: t('links.createdFrom'), value: from })}
${renderField({ type: 'date', name: 'to', label: t('links.createdTo'), value: to })}
</div>`
}

function listStatuses({ status }: View, choices: FilterChoices): Record<string, string> {
  const { broken, ...others } = tAll('links.statuses')
  return { ...others, ...((choices.broken || status === 'broken') && { broken }) }
}

/** Renders the filters that are set, each with a link that removes it. */
export function renderFilterPills(view: View, choices: FilterChoices): SafeHtml | null {
  const { status, domain, campaign, from, to } = view
  const host = choices.domains.find(({ id }) => String(id) === domain)?.host
  const texts: Partial<Record<(typeof FILTERS)[number], string | undefined>> = {
    status: status && t(`links.statuses.${status}`),
    domain: host && hostText(host),
    campaign: choices.campaigns.find(({ id }) => String(id) === campaign)?.name,
    clicks: t('links.neverClicked'),
    from: from && formatDate(new Date(from), 'UTC'),
    to: to && formatDate(new Date(to), 'UTC'),
  }
  const pills = FILTERS.filter((name) => view[name] !== '').map((name) => {
    const label = texts[name] || view[name]
    const kind = t(FILTER_NAMES[name])
    const href = buildUrl({ ...view, [name]: '', after: '', page: 1 })
    return { href, kind, label, remove: t('analytics.removeFilter', { kind, label }) }
  })
  return renderPills(t('links.filters'), pills, { href: PATH, text: t('links.clearFilters') })
}

/**
 * Renders the selection of a tag, including a selected tag that is not in `tags`. Tags are
 * case-insensitive, so the URL may spell a tag differently.
 */
function renderTagFilter(tag: string, tags: readonly string[]): SafeHtml {
  const listed = tags.find((each) => each.toLowerCase() === tag.toLowerCase())
  const all = tag === '' || listed !== undefined ? tags : [tag, ...tags]
  const choices = all.map((each) => ({ value: each, label: each }))
  return renderFilter('tag', t('links.tag'), listed ?? tag, choices)
}

function renderFilter(
  name: (typeof FILTERS)[number],
  label: string,
  value: string,
  choices: readonly Choice[],
): SafeHtml {
  const any = { value: '', label: t('links.any') }
  return renderField({ type: 'select', name, label, value, choices: [any, ...choices] })
}
