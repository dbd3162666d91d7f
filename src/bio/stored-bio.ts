import type { Entry, Lookups } from '../db/local-store.ts'
import { type BioRow, toBio } from './bio.queries.ts'
import type { VisitedBio } from './bio.ts'
import type { ButtonTarget } from './hidden-button.ts'

/** Returns a page from the local store, or undefined if the store does not have it. */
export function findStoredBio({ find, get }: Lookups, alias: string): VisitedBio | undefined {
  const page = find('bio_page', alias)
  const account = page && get('account', Number(page.value.account_id))
  if (!account) return undefined
  const { created_at: createdAt, picture, ...value } = page.value as StoredValue
  const row = { ...value, id: page.id, alias, created_at: new Date(createdAt) }
  const targets = new Map<number, ButtonTarget>()
  for (const { linkId } of value.links) {
    const link = linkId === undefined ? undefined : get('link', linkId)
    if (link) targets.set(link.id, toTarget(link, get))
  }
  return {
    bio: toBio(row),
    picture: picture === null ? null : Buffer.from(picture, 'base64'),
    isSuspended: account.value.suspended_at !== null,
    targets,
  }
}

function toTarget({ value }: Entry, get: Lookups['get']): ButtonTarget {
  const { url, status, starts_at, ends_at, used_up_at, expired_url, domain_id } = value
  const domain = domain_id === null ? undefined : get('domain', Number(domain_id))
  return {
    url: String(url),
    status: status === 'active' ? 'active' : 'disabled',
    // The store does not have this. It only affects the reason that the page's owner sees.
    isBlocked: false,
    startsAt: toDate(starts_at),
    endsAt: toDate(ends_at),
    usedUpAt: toDate(used_up_at),
    redirectsWhenExpired: (expired_url ?? domain?.value.expired_url ?? null) !== null,
  }
}

function toDate(text: unknown): Date | null {
  return typeof text === 'string' ? new Date(text) : null
}

/** The columns as JSON. The time is a text, and the picture is in base64. */
type StoredValue = Omit<BioRow, 'id' | 'alias' | 'created_at'> & {
  account_id: number
  created_at: string
  picture: string | null
}
