import { LINK_STATES, type LinkFilter } from '../../../links/link-filter.ts'
import type { LinkListQuery } from '../../../links/link-list.service.ts'

/** The search, filters, order and page of the list, as in its URL. Unset filters are empty. */
export type View = {
  q: string
  tag: string
  status: '' | (typeof STATES)[number]
  /** The id of a branded domain, and of a campaign. */
  domain: string
  campaign: string
  /** The first and last day of creation in ISO format, in UTC. */
  from: string
  to: string
  clicks: '' | 'none'
  /** The id before which a search of many links continues. */
  after: string
  sort: keyof typeof ORDERS
  page: number
}

const PATH = '/console/links'
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
const DAY_MS = 24 * 60 * 60 * 1000

/** Reads the view from the query of a URL. Replaces invalid values with the defaults. */
export function readView(query: Readonly<Record<string, unknown>>): View {
  const readText = (name: string) => {
    const value = query[name]
    return typeof value === 'string' ? value.trim() : ''
  }
  const page = readText('page')
  return {
    q: readText('q'),
    tag: readText('tag'),
    status: STATES.find((state) => state === readText('status')) ?? '',
    domain: parseId(readText('domain')),
    campaign: parseId(readText('campaign')),
    from: parseDay(readText('from')),
    to: parseDay(readText('to')),
    clicks: readText('clicks') === 'none' ? 'none' : '',
    after: parseId(readText('after')),
    sort: SORTS.find((sort) => sort === readText('sort')) ?? 'newest',
    page: /^[1-9]\d{0,8}$/.test(page) ? Number(page) : 1,
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
  return view.q !== '' || view.after !== '' || countFilters(view) > 0
}

/** Returns the number of filters that are set. The search is not a filter. */
export function countFilters(view: View): number {
  return FILTERS.filter((name) => view[name] !== '').length
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
