import type { Lookups } from '../db/local-store.ts'
import { type BioRow, toBio } from './bio.queries.ts'
import type { VisitedBio } from './bio.ts'

/** Returns a page from the local store, or undefined if the store does not have it. */
export function findStoredBio({ find, get }: Lookups, alias: string): VisitedBio | undefined {
  const page = find('bio_page', alias)
  const account = page && get('account', Number(page.value.account_id))
  if (!account) return undefined
  const { created_at: createdAt, picture, ...value } = page.value as StoredValue
  const row = { ...value, id: page.id, alias, created_at: new Date(createdAt) }
  const targets = new Map<number, string>()
  for (const { linkId } of value.links) {
    const link = linkId === undefined ? undefined : get('link', linkId)
    if (link?.value.status === 'active') targets.set(link.id, String(link.value.url))
  }
  return {
    bio: toBio(row),
    picture: picture === null ? null : Buffer.from(picture, 'base64'),
    isSuspended: account.value.suspended_at !== null,
    targets,
  }
}

/** The columns as JSON: the moment is a text, and the picture is in base64. */
type StoredValue = Omit<BioRow, 'id' | 'alias' | 'created_at'> & {
  account_id: number
  created_at: string
  picture: string | null
}
