import type { LinkFilter } from '../../../links/link-filter.ts'

/** The search, filters, order and page of the list, as the URL of the page has them. */
export type View = {
  q: string
  tag: string
  status: '' | NonNullable<LinkFilter['state']>
  /** The id of a branded domain. */
  domain: string
  sort: 'newest' | 'clicks'
  page: number
}

const PATH = '/console/links'
const STATES = ['active', 'disabled', 'expired'] as const

/** Reads a query; invalid values become the defaults. */
export function readView(query: Readonly<Record<string, unknown>>): View {
  const text = (name: string) => {
    const value = query[name]
    return typeof value === 'string' ? value.trim() : ''
  }
  const page = text('page')
  return {
    q: text('q'),
    tag: text('tag'),
    status: STATES.find((state) => state === text('status')) ?? '',
    domain: /^[1-9]\d{0,14}$/.test(text('domain')) ? text('domain') : '',
    sort: text('sort') === 'clicks' ? 'clicks' : 'newest',
    page: /^[1-9]\d{0,8}$/.test(page) ? Number(page) : 1,
  }
}

/** Returns the URL of a view, without its defaults. */
export function addressOf(view: View, more: Readonly<Record<string, string>> = {}): string {
  const { q, tag, status, domain, sort, page } = view
  const query = new URLSearchParams({
    ...(q && { q }),
    ...(tag && { tag }),
    ...(status && { status }),
    ...(domain && { domain }),
    ...(sort !== 'newest' && { sort }),
    ...(page > 1 && { page: String(page) }),
    ...more,
  })
  return query.size > 0 ? `${PATH}?${query}` : PATH
}

/** Returns the view that a form of the list was sent from; the whole list if it names none. */
export function viewFrom(address: string): View {
  return readView(Object.fromEntries(new URLSearchParams(address.split('?')[1] ?? '')))
}

/** Whether the search or a filter leaves links out. */
export function isNarrowed(view: View): boolean {
  return view.q !== '' || filtersOf(view) > 0
}

/** The number of filters beside the search. */
export function filtersOf({ tag, status, domain }: View): number {
  return [tag, status, domain].filter((value) => value !== '').length
}

/** The filter that the list of links is asked with. */
export function filterOf({ q, tag, status, domain }: View): LinkFilter {
  return {
    search: q,
    tag,
    state: status || undefined,
    domainId: domain === '' ? undefined : Number(domain),
  }
}
