import type { LinkFilter } from '../../../links/link-filter.ts'

/** What of the links is shown, as it stands in the address of the page. */
export type View = {
  q: string
  tag: string
  status: '' | NonNullable<LinkFilter['state']>
  sort: 'newest' | 'clicks'
  page: number
}

const PATH = '/console/links'
const STATES = ['active', 'disabled', 'expired'] as const

/** Reads a query; what cannot be meant is what stands there by itself. */
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
    sort: text('sort') === 'clicks' ? 'clicks' : 'newest',
    page: /^[1-9]\d{0,8}$/.test(page) ? Number(page) : 1,
  }
}

/** The address of a view, with nothing in it that goes without saying. */
export function addressOf(view: View, more: Readonly<Record<string, string>> = {}): string {
  const { q, tag, status, sort, page } = view
  const query = new URLSearchParams({
    ...(q && { q }),
    ...(tag && { tag }),
    ...(status && { status }),
    ...(sort !== 'newest' && { sort }),
    ...(page > 1 && { page: String(page) }),
    ...more,
  })
  return query.size > 0 ? `${PATH}?${query}` : PATH
}

/** The view that a form of the list was sent from; the path of the list where it says none. */
export function viewFrom(address: string): View {
  return readView(Object.fromEntries(new URLSearchParams(address.split('?')[1] ?? '')))
}

/** Whether the list shows some of the links only. */
export function isNarrowed({ q, tag, status }: View): boolean {
  return q !== '' || tag !== '' || status !== ''
}
